// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// From coordinates in any order in GPU memory to a checked, canonical topology and the permutation that takes
// per-entry arrays along: the steps of the host's canonicalize, with nothing but the outcome sent to the host.

#include <concepts>
#include <utility>

#include <snack/sparse/cuda_algorithms.cuh>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

/// A canonical topology and where its entries came from, in GPU memory.
struct CudaCanonical {
    CudaTopologyPtr topology;
    DeviceBuffer<Size> permutation;  ///< permutation[entry] = position in the input
};

namespace detail {

/// cells[e] from the coordinates of entry e, -1 if they are out of range; permutation[e] = e.
template <std::integral Integer>
struct CellOfCoordinates {
    const Integer* rows;
    const Integer* columns;
    Size out_features;
    Size in_features;
    Size* cells;
    Size* permutation;

    SNACK_HOST_DEVICE void operator()(Size e) const {
        cells[e] = cell_of(rows[e], columns[e], out_features, in_features);
        permutation[e] = e;
    }
};

struct IsOutside {
    const Size* cells;
    SNACK_HOST_DEVICE bool operator()(Size e) const { return cells[e] < 0; }
};

struct IsBelowPrevious {
    const Size* cells;
    SNACK_HOST_DEVICE bool operator()(Size e) const { return e > 0 && cells[e] < cells[e - 1]; }
};

struct EqualsPrevious {
    const Size* cells;
    SNACK_HOST_DEVICE bool operator()(Size e) const { return e > 0 && cells[e] == cells[e - 1]; }
};

/// One element of an array on the device. Waits for the stream.
template <class T>
T element_at(CudaContext& ctx, DeviceSpan<const T> array, Size position) {
    T element{};
    ctx.copy_to_host(array.subspan(static_cast<std::size_t>(position), 1), std::span<T>(&element, 1));
    return element;
}

}  // namespace detail

/// As on the host, with the same errors; the coordinates are read in the order of the context's stream.
/// O(nnz) work. Memory at the peak, with what is returned: 20 bytes an entry and 8 a row if the entries are in
/// order; otherwise some 49 bytes an entry, for cells and positions (16), their sorted copies (16) and CUB's
/// storage. Waits for the stream a few times.
/// @throws as the host's; ArgumentError for memory that the device does not reach
template <std::integral Integer>
CudaCanonical canonicalize(CudaContext& ctx, Size out_features, Size in_features, DeviceSpan<const Integer> rows,
                           DeviceSpan<const Integer> columns) {
    constexpr const char* where = "canonicalize";
    detail::check_features(where, out_features, in_features);
    require<ShapeError>(rows.size() == columns.size(), where, rows.size(), " rows for ", columns.size(), " columns");
    const auto nnz = static_cast<Size>(rows.size());
    if (nnz > 0) {
        ctx.require_own(where, "rows", rows.data());
        ctx.require_own(where, "columns", columns.data());
    }
    DeviceBuffer<Size> cells = ctx.allocate<Size>(nnz);
    DeviceBuffer<Size> permutation = ctx.allocate<Size>(nnz);
    ctx.for_each_index(nnz, detail::CellOfCoordinates<Integer>{rows.data(), columns.data(), out_features, in_features,
                                                               cells.data(), permutation.data()});
    if (const Size wrong = detail::find_first(ctx, nnz, detail::IsOutside{cells.data()}); wrong < nnz) {
        detail::fail_outside(where, wrong, detail::element_at(ctx, rows, wrong),
                             detail::element_at(ctx, columns, wrong), out_features, in_features);
    }
    if (detail::find_first(ctx, nnz, detail::IsBelowPrevious{cells.data()}) < nnz) {
        detail::sort_pairs(ctx, cells, permutation, detail::bits_below(out_features * in_features));
    }
    if (const Size second = detail::find_first(ctx, nnz, detail::EqualsPrevious{cells.data()}); second < nnz) {
        const Size repeated = detail::element_at(ctx, std::as_const(permutation).span(), second);
        detail::fail_repeated(where, repeated, detail::element_at(ctx, rows, repeated),
                              detail::element_at(ctx, columns, repeated));
    }
    return {CudaTopology::from_cells(ctx, out_features, in_features, std::as_const(cells).span()),
            std::move(permutation)};
}

}  // namespace snack::inline v0
