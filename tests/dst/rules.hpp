// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Rewiring rules that return what a test tells them, right or wrong.

#include <span>
#include <vector>

#include <snack/core/random.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace tests {

inline snack::Buffer<snack::Size> buffer_of(const std::vector<snack::Size>& numbers) {
    snack::Buffer<snack::Size> buffer(static_cast<snack::Size>(numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        buffer[static_cast<snack::Size>(i)] = numbers[i];
    }
    return buffer;
}

/// Drops these entries, whatever the values.
struct FixedPruner {
    std::vector<snack::Size> entries;

    template <class T>
    snack::Buffer<snack::Size> select(snack::HostContext&, const snack::Topology&, std::span<const T>,
                                      snack::Size) const {
        return buffer_of(entries);
    }
};

/// Grows these cells, however many were asked for.
struct FixedGrower {
    std::vector<snack::Size> cells;

    snack::Buffer<snack::Size> select(snack::HostContext&, const snack::Topology&, snack::Size,
                                      const snack::RandomKey&) const {
        return buffer_of(cells);
    }
};

/// The cells of a topology, ascending.
inline std::vector<snack::Size> cells_of(const snack::Topology& topology) {
    std::vector<snack::Size> cells;
    for_each_entry(topology, [&](snack::Size, snack::Index row, snack::Index column) {
        cells.push_back(snack::cell_index(row, column, topology.in_features()));
    });
    return cells;
}

}  // namespace tests
