// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The entries of a topology by column, on a GPU: one stable sort.

#include <cstdint>
#include <utility>

#include <snack/sparse/column_order.hpp>
#include <snack/sparse/cuda_algorithms.cuh>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

namespace detail {

/// to[i] = i
template <class T>
struct Iota {
    T* to;
    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] = static_cast<T>(i); }
};

/// rows[i] of the entry at positions[i], from the offsets (row_count + 1).
template <class Position>
struct RowOfPosition {
    const Size* offsets;
    Size row_count;
    const Position* positions;
    Index* rows;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        rows[i] = static_cast<Index>(row_of_entry(offsets, row_count, static_cast<Size>(positions[i])));
    }
};

/// offsets[value] = elements below `value` in an ascending array.
struct OffsetOfValue {
    const Index* sorted;
    Size count;
    Size* offsets;
    SNACK_HOST_DEVICE void operator()(Size value) const { offsets[value] = lower_bound(sorted, count, value); }
};

template <class Position>
DeviceBuffer<Position> sort_by_column(CudaContext& ctx, const CudaTopology& topology, DeviceBuffer<Index>& columns) {
    DeviceBuffer<Position> positions = ctx.allocate<Position>(topology.nnz());
    ctx.for_each_index(topology.nnz(), Iota<Position>{positions.data()});
    columns = ctx.allocate<Index>(topology.nnz());
    ctx.copy(topology.columns(), columns.span());
    sort_pairs(ctx, columns, positions, bits_below(topology.in_features()));
    return positions;
}

}  // namespace detail

/// As on the host. O(nnz log in_features) work, no synchronisation.
inline ColumnOrder<CudaSpace> column_order(CudaContext& ctx, const CudaTopology& topology,
                                           Size narrow_below = narrow_positions) {
    const Size nnz = topology.nnz();
    DeviceBuffer<Size> offsets = ctx.allocate<Size>(topology.in_features() + 1);
    DeviceBuffer<Index> rows = ctx.allocate<Index>(nnz);
    DeviceBuffer<Index> columns;
    DeviceBuffer<std::uint32_t> narrow;
    DeviceBuffer<Size> wide;
    const auto fill_rows = [&]<class Position>(const DeviceBuffer<Position>& positions) {
        ctx.for_each_index(nnz, detail::RowOfPosition<Position>{topology.row_offsets().data(), topology.out_features(),
                                                                positions.data(), rows.data()});
    };
    if (nnz < narrow_below) {
        narrow = detail::sort_by_column<std::uint32_t>(ctx, topology, columns);
        fill_rows(narrow);
    } else {
        wide = detail::sort_by_column<Size>(ctx, topology, columns);
        fill_rows(wide);
    }
    ctx.for_each_index(topology.in_features() + 1, detail::OffsetOfValue{columns.data(), nnz, offsets.data()});
    return {std::move(offsets), std::move(rows), std::move(narrow), std::move(wide)};
}

}  // namespace snack::inline v0
