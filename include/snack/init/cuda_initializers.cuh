// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Uniform topologies and initial weights on a GPU: for the same key the same bits as on the host.

#include <utility>

#include <snack/concepts/initializer.hpp>
#include <snack/init/cuda_sample.cuh>
#include <snack/init/values.hpp>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

/// As on the host, in GPU memory. O(nnz log nnz) work, O(nnz + out_features) memory. Waits for the stream a few times.
/// @throws as on the host; UnsupportedError if the stream records a graph
inline CudaTopologyPtr uniform_topology(CudaContext& ctx, Size out_features, Size in_features, Size nnz,
                                        const RandomKey& key) {
    detail::check_features("uniform_topology", out_features, in_features);
    const DeviceBuffer<Size> cells = sample_without_replacement(ctx, key, out_features * in_features, nnz);
    return CudaTopology::from_cells(ctx, out_features, in_features, cells.span());
}

namespace detail {

/// What an initialiser is told about an entry; its column's fan from a sorted copy of the columns.
struct ConnectionOfEntry {
    const Size* row_offsets;
    Size rows;
    const Index* columns;
    const Index* sorted_columns;
    Size nnz;

    SNACK_HOST_DEVICE Connection at(Size entry) const {
        const Size row = row_of_entry(row_offsets, rows, entry);
        const Index column = columns[entry];
        const Size fan_out =
            lower_bound(sorted_columns, nnz, Size{column} + 1) - lower_bound(sorted_columns, nnz, Size{column});
        return {entry, static_cast<Index>(row), column, row_offsets[row + 1] - row_offsets[row], fan_out};
    }
};

template <class T, class Initializer>
struct InitializeEntry {
    ConnectionOfEntry entries;
    Initializer initializer;
    RandomKey key;
    T* values;

    SNACK_HOST_DEVICE void operator()(Size entry) const {
        values[entry] = static_cast<T>(initializer(key, entries.at(entry)));
    }
};

}  // namespace detail

/// As on the host; the call operator of the initialiser is a SNACK_HOST_DEVICE function. O(nnz log nnz) asynchronous
/// work, memory for a sorted copy of the columns.
/// @throws ShapeError if `values` has another extent; nothing is written then
template <Scalar T, ValueInitializer Initializer>
void initialize_values(CudaContext& ctx, const CudaTopology& topology, const Initializer& initializer,
                       const RandomKey& key, DeviceSpan<T> values) {
    require<ShapeError>(static_cast<Size>(values.size()) == topology.nnz(), "initialize_values", "span of ",
                        values.size(), " elements for ", topology.nnz(), " entries");
    DeviceBuffer<Index> sorted = ctx.allocate<Index>(topology.nnz());
    ctx.copy(topology.columns(), sorted.span());
    detail::sort_keys(ctx, sorted, topology.in_features());
    const detail::ConnectionOfEntry entries{topology.row_offsets().data(), topology.out_features(),
                                            topology.columns().data(), sorted.data(), topology.nnz()};
    ctx.for_each_index(topology.nnz(),
                       detail::InitializeEntry<T, Initializer>{entries, initializer, key, values.data()});
}

}  // namespace snack::inline v0
