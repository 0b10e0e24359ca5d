// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A dense weight becomes a sparse one where somebody else has decided which connections stay: by a dense mask
// or by a topology.

#include <span>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/io/sparsify.hpp>

namespace snack::inline v0::io {

/// Keeps the cells at which the mask is not zero, whatever the weight is there.
///
/// @param source, mask  of one shape (rows, columns); the mask may hold any number type
/// Reads the mask twice, the weight once. Memory for the result, 8 bytes for each entry of it, and two buffers, that of
/// the mask in double.
/// @throws ShapeError if the shapes differ or an extent passes 2^31 - 1; what the sources and the allocator throw;
///         FileError if the mask changes meanwhile
template <Scalar T, RowSource<T> S, RowSource<double> M>
CooMatrix<T> sparsify_by_mask(const S& source, const M& mask, const SparsifyOptions& options = {}) {
    constexpr const char* where = "sparsify_by_mask";
    const Size columns = source.columns();
    snack::detail::check_features(where, source.rows(), columns);
    require<ShapeError>(mask.rows() == source.rows() && mask.columns() == columns, where, "the mask is ", mask.rows(),
                        " x ", mask.columns(), ", the weight ", source.rows(), " x ", columns);
    Buffer<double> mask_buffer = detail::buffer_for<double>(mask, options);
    Size entries = 0;
    detail::for_each_cell<double>(mask, mask_buffer, [&](Size, double cell) { entries += cell != 0 ? 1 : 0; });

    detail::KeptEntries<T> kept(where, source.rows(), columns, entries, options.allocator);
    Buffer<T> buffer(mask_buffer.size(), options.allocator);
    detail::for_each_block<double>(mask, mask_buffer, [&](Size first, Size rows, std::span<const double> cells) {
        source.read_rows(first, rows, buffer.span().first(cells.size()));
        for (Size i = 0; i < static_cast<Size>(cells.size()); ++i) {
            if (cells.data()[i] != 0) {
                kept.keep(first * columns + i, buffer[i]);
            }
        }
    });
    return std::move(kept).matrix();
}

/// Keeps the connections of a topology, which the result shares. Reads the weight, (out_features, in_features), once.
/// Memory for the values and the buffer.
/// @throws ShapeError for another shape, UnsupportedError for a null topology; what source and allocator throw
template <Scalar T, RowSource<T> S>
CooMatrix<T> sparsify_by_topology(const S& source, const TopologyPtr& topology, const SparsifyOptions& options = {}) {
    constexpr const char* where = "sparsify_by_topology";
    require<UnsupportedError>(topology != nullptr, where, "the topology is null");
    const Size columns = source.columns();
    require<ShapeError>(topology->out_features() == source.rows() && topology->in_features() == columns, where,
                        "the topology is ", topology->out_features(), " x ", topology->in_features(), ", the weight ",
                        source.rows(), " x ", columns);
    Buffer<T> values(topology->nnz(), options.allocator);
    Buffer<T> buffer = detail::buffer_for<T>(source, options);
    detail::for_each_block<T>(source, buffer, [&](Size first, Size rows, std::span<const T> elements) {
        for (Size row = first; row < first + rows; ++row) {
            const T* line = elements.data() + (row - first) * columns;
            for (Size e = topology->row_offsets().data()[row]; e < topology->row_offsets().data()[row + 1]; ++e) {
                values[e] = line[topology->columns().data()[e]];
            }
        }
    });
    return CooMatrix<T>(topology, std::move(values));
}

}  // namespace snack::inline v0::io
