// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The steps from coordinates to cells (row * in_features + column), and from sorted cells to a topology, each
// for one element on its own: how a device makes and checks its coordinates.

#include <concepts>
#include <limits>

#include <snack/core/error.hpp>

namespace snack::inline v0::detail {

/// The first position of [0, count) for which `holds` does not, if it holds for all before that alone.
template <class Predicate>
SNACK_HOST_DEVICE Size partition_point(Size count, const Predicate& holds) {
    Size begin = 0;
    while (count > 0) {
        const Size half = count / 2;
        if (holds(begin + half)) {
            begin += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return begin;
}

/// The first position of [0, count) whose element is not below `value`, in an ascending array.
template <class T>
SNACK_HOST_DEVICE Size lower_bound(const T* sorted, Size count, Size value) {
    return partition_point(count, [=](Size i) { return sorted[i] < value; });
}

/// The row that holds an entry, from the entries before each row (rows + 1). O(log rows).
SNACK_HOST_DEVICE inline Size row_of_entry(const Size* offsets, Size rows, Size entry) {
    return lower_bound(offsets, rows + 1, entry + 1) - 1;
}

/// A coordinate in 64 bits; unsigned values beyond them become -1, which no range holds.
template <std::integral Integer>
SNACK_HOST_DEVICE constexpr Size widen(Integer coordinate) {
    if constexpr (sizeof(Integer) >= sizeof(Size) && !std::numeric_limits<Integer>::is_signed) {
        constexpr Integer largest = 0x7fffffffffffffff;
        return coordinate > largest ? Size{-1} : static_cast<Size>(coordinate);
    } else {
        return static_cast<Size>(coordinate);
    }
}

/// The cell of a coordinate, which is checked before it is narrowed; -1 outside of the matrix.
template <std::integral Integer>
SNACK_HOST_DEVICE constexpr Size cell_of(Integer row, Integer column, Size out_features, Size in_features) {
    const Size wide_row = widen(row);
    const Size wide_column = widen(column);
    const bool inside = wide_row >= 0 && wide_row < out_features && wide_column >= 0 && wide_column < in_features;
    return inside ? wide_row * in_features + wide_column : -1;
}

/// Throws the error for entry number `entry`, whose coordinate is out of range.
template <std::integral Integer>
[[noreturn, gnu::cold, gnu::noinline]] void fail_outside(const char* where, Size entry, Integer row, Integer column,
                                                         Size out_features, Size in_features) {
    fail<TopologyError>(where, "entry ", entry, " at (", row, ", ", column, ") is outside a ", out_features, " x ",
                        in_features, " matrix");
}

/// Throws the error for entry number `entry`, whose coordinate another one has.
template <std::integral Integer>
[[noreturn, gnu::cold, gnu::noinline]] void fail_repeated(const char* where, Size entry, Integer row, Integer column) {
    fail<TopologyError>(where, "entry ", entry, " at (", row, ", ", column, ") is given twice");
}

/// columns[entry] from cells (nnz).
struct ColumnOfCell {
    const Size* cells;
    Size in_features;
    Index* columns;

    SNACK_HOST_DEVICE void operator()(Size entry) const {
        columns[entry] = static_cast<Index>(cells[entry] % in_features);
    }
};

/// offsets[row] = entries before the row, for row in [0, out_features].
struct OffsetOfRow {
    const Size* cells;
    Size nnz;
    Size in_features;
    Size* offsets;

    SNACK_HOST_DEVICE void operator()(Size row) const { offsets[row] = lower_bound(cells, nnz, row * in_features); }
};

/// rows[e] for each entry from the offsets (row_count + 1).
struct RowOfEntry {
    const Size* offsets;
    Size row_count;
    Index* rows;

    SNACK_HOST_DEVICE void operator()(Size entry) const {
        rows[entry] = static_cast<Index>(row_of_entry(offsets, row_count, entry));
    }
};

/// Whether cell number `entry` is out of range or not above the one before it.
struct WrongCell {
    const Size* cells;
    Size bound;

    SNACK_HOST_DEVICE bool operator()(Size entry) const {
        const bool outside = cells[entry] < 0 || cells[entry] >= bound;
        return outside || (entry > 0 && cells[entry - 1] >= cells[entry]);
    }
};

/// Throws the error for entry number `entry` at `cell`, after `previous` if there is one.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_wrong_cell(const char* where, Size entry, Size previous,
                                                                   Size cell, Size out_features, Size in_features) {
    if (cell < 0 || cell >= out_features * in_features) {
        fail<TopologyError>(where, "entry ", entry, ": cell ", cell, " is outside a ", out_features, " x ", in_features,
                            " matrix");
    }
    fail<TopologyError>(where, "entry ", entry, " at (", cell / in_features, ", ", cell % in_features,
                        previous == cell ? ") is given twice" : ") is out of order");
}

}  // namespace snack::inline v0::detail
