// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Bytes of a test as a file that readers take, and the entries that they make of it.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <snack/io/source.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace tests {

/// A source that keeps the bytes it reads from.
class TextSource final : public snack::io::Source {
public:
    explicit TextSource(std::string text, std::string name = "text")
        : Source(std::move(name)), text_(std::move(text)) {}

    snack::Size size() const noexcept override { return view().size(); }
    void read(snack::Size offset, std::span<std::byte> to) const override { view().read(offset, to); }

private:
    snack::io::MemorySource view() const { return snack::io::MemorySource(std::as_bytes(std::span(text_)), name()); }

    std::string text_;
};

template <class T>
using Entries = std::vector<std::tuple<snack::Index, snack::Index, T>>;

/// (row, column, value) of each entry, in canonical order.
template <class T>
Entries<T> entries_of(const snack::CooMatrix<T>& matrix) {
    Entries<T> entries;
    snack::for_each_entry(*matrix.topology(), [&](snack::Size e, snack::Index row, snack::Index column) {
        entries.emplace_back(row, column, matrix.values()[static_cast<std::size_t>(e)]);
    });
    return entries;
}

}  // namespace tests
