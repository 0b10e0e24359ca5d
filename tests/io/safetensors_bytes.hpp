// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Safetensors files as tests make them: byte by byte.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include <snack/io/safetensors.hpp>

namespace tests {

/// The bytes of numbers, one after another.
template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
    std::string bytes(numbers.size() * sizeof(T), '\0');
    if (numbers.size() > 0) {
        std::memcpy(bytes.data(), std::data(numbers), bytes.size());
    }
    return bytes;
}

/// A file with this JSON text and these bytes of data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data = {}) {
    return bytes_of<std::uint64_t>({header.size()}) + header + data;
}

/// Bytes that belong to the source.
class TextSource final : public snack::io::Source {
public:
    explicit TextSource(std::string bytes) : Source("made.up"), bytes_(std::move(bytes)) {}

    snack::Size size() const noexcept override { return view().size(); }
    void read(snack::Size offset, std::span<std::byte> to) const override { view().read(offset, to); }

private:
    snack::io::MemorySource view() const { return snack::io::MemorySource(std::as_bytes(std::span(bytes_)), name()); }

    std::string bytes_;
};

inline std::shared_ptr<const snack::io::Source> source_of(std::string bytes) {
    return std::make_shared<TextSource>(std::move(bytes));
}

/// A file of one tensor "a".
inline snack::io::Safetensors one_tensor(const std::string& dtype, const std::string& shape, const std::string& data) {
    return snack::io::Safetensors(
        source_of(safetensors_bytes(R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[0,)" +
                                        std::to_string(data.size()) + "]}}",
                                    data)));
}

}  // namespace tests
