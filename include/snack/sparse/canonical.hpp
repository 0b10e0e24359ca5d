// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// From coordinates in any order to a checked, canonical topology and the permutation that
// takes per-entry arrays along. Range checks come before any narrowing; a duplicate is an
// error on every route.

#include <concepts>
#include <span>
#include <utility>

#include <snack/sparse/radix_sort.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// A canonical topology and where its entries came from.
struct Canonical {
    TopologyPtr topology;
    Buffer<Size> permutation;  ///< permutation[entry] = position in the input
};

/// Sorts coordinates by (row, column) and checks them; errors begin with `where`. O(nnz + out_features) time and
/// memory.
///
/// @throws ShapeError if rows and columns differ in extent or a dimension is negative or too wide;
///         TopologyError, naming the entry, for a coordinate out of range or given twice
template <std::integral Integer>
Canonical canonicalize(Size out_features, Size in_features, std::span<const Integer> rows,
                       std::span<const Integer> columns, Allocator* allocator = nullptr,
                       const char* where = "canonicalize") {
    detail::check_features(where, out_features, in_features);
    require<ShapeError>(rows.size() == columns.size(), where, rows.size(), " rows for ", columns.size(), " columns");
    const auto nnz = static_cast<Size>(rows.size());
    Buffer<Size> cells(nnz, allocator);
    Buffer<Size> permutation(nnz, allocator);
    bool sorted = true;
    for (Size e = 0; e < nnz; ++e) {
        cells[e] = detail::cell_of(rows.data()[e], columns.data()[e], out_features, in_features);
        if (cells[e] < 0) [[unlikely]] {
            detail::fail_outside(where, e, rows.data()[e], columns.data()[e], out_features, in_features);
        }
        permutation[e] = e;
        sorted = sorted && (e == 0 || cells[e - 1] <= cells[e]);
    }
    if (!sorted) {
        radix_sort(cells, out_features * in_features, &permutation);
    }
    for (Size e = 1; e < nnz; ++e) {
        if (cells[e - 1] == cells[e]) [[unlikely]] {
            detail::fail_repeated(where, permutation[e], rows.data()[permutation[e]], columns.data()[permutation[e]]);
        }
    }
    return {Topology::from_cells(out_features, in_features, std::as_const(cells).span(), allocator),
            std::move(permutation)};
}

}  // namespace snack::inline v0
