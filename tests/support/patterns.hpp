// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The named matrices every backend is tried on: the shapes at which kernels of this kind broke.
// A pattern is a list of cells; values come from the test.

#include <string>
#include <vector>

#include <snack/init/sample.hpp>
#include <snack/sparse/topology.hpp>
#include <tests/support/activations.hpp>

namespace tests {

using snack::Index;

struct Pattern {
    std::string name;
    Size out_features;
    Size in_features;
    std::vector<Size> cells;  ///< row * in_features + column, ascending

    Size row(std::size_t entry) const { return cells[entry] / in_features; }
    Size column(std::size_t entry) const { return cells[entry] % in_features; }
    Size nnz() const { return static_cast<Size>(cells.size()); }
    snack::TopologyPtr topology() const { return snack::Topology::from_cells(out_features, in_features, cells); }
};

/// Every cell for which keep(row, column) holds.
template <class Keep>
Pattern pattern_of(std::string name, Size out_features, Size in_features, Keep keep) {
    Pattern pattern{std::move(name), out_features, in_features, {}};
    for (Size row = 0; row < out_features; ++row) {
        for (Size column = 0; column < in_features; ++column) {
            if (keep(row, column)) {
                pattern.cells.push_back(row * in_features + column);
            }
        }
    }
    return pattern;
}

inline Pattern random_pattern(std::string name, Size out_features, Size in_features, Size nnz, std::uint64_t seed = 1) {
    const auto cells =
        snack::sample_without_replacement({seed, 0, snack::Purpose::user, 0}, out_features * in_features, nnz);
    return {std::move(name), out_features, in_features, {cells.begin(), cells.end()}};
}

inline std::vector<Pattern> pattern_battery(Effort effort = Effort::full) {
    std::vector<Pattern> patterns = {
        pattern_of("no entries", 3, 4, [](Size, Size) { return false; }),
        pattern_of("no rows", 0, 5, [](Size, Size) { return true; }),
        pattern_of("no columns", 5, 0, [](Size, Size) { return true; }),
        pattern_of("nothing at all", 0, 0, [](Size, Size) { return true; }),
        pattern_of("one cell", 1, 1, [](Size, Size) { return true; }),
        pattern_of("one row", 1, 37, [](Size, Size column) { return column % 3 != 1; }),
        pattern_of("one column", 41, 1, [](Size row, Size) { return row % 3 != 1; }),
        pattern_of("full", 7, 5, [](Size, Size) { return true; }),
        pattern_of("diagonal", 16, 16, [](Size row, Size column) { return row == column; }),
        pattern_of("one heavy row", 20, 300, [](Size row, Size column) { return row == 3 || column == row; }),
        pattern_of("one heavy column", 300, 20, [](Size row, Size column) { return column == 3 || row == column; }),
        pattern_of("empty rows and columns", 19, 23,
                   [](Size row, Size column) { return row % 4 == 1 && column % 5 == 2; }),
        random_pattern("random", 33, 47, 310),
        random_pattern("random, nearly full", 29, 31, 870),
    };
    if (effort == Effort::full) {
        patterns.push_back(random_pattern("columns beyond 16 bits", 3, 70000, 40));
        patterns.push_back(random_pattern("rows beyond 16 bits", 70000, 3, 40));
    }
    return patterns;
}

/// Batches around the widths of vector registers; short ones for patterns of many features.
inline std::vector<Size> batch_battery(const Pattern& pattern, Effort effort = Effort::full) {
    if (effort == Effort::small) {
        return {0, 1, 3, 4, 33};
    }
    if (pattern.out_features + pattern.in_features > 1000) {
        return {1, 5};
    }
    return {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 127};
}

}  // namespace tests
