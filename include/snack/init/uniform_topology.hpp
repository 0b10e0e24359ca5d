// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The uniform connection initialiser (paper, section 3.3 and Algorithm 2): which connections a
// new layer starts with, and how many a given sparsity means.

#include <type_traits>

#include <snack/core/magnitude.hpp>
#include <snack/init/sample.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// Entries of an out x in matrix of the given sparsity: (1 - sparsity) out in, rounded to nearest.
/// @throws ArgumentError unless 0 <= sparsity <= 1; ShapeError for a bad extent
inline Size entries_for_sparsity(Size out_features, Size in_features, double sparsity) {
    constexpr const char* where = "entries_for_sparsity";
    detail::check_features(where, out_features, in_features);
    return detail::entries_of_cells(where, out_features * in_features, sparsity);
}

/// A topology of exactly `nnz` entries, every such topology equally likely.
///
/// O(nnz + out_features) memory and near-linear time at any density; the same coordinates for
/// the same key anywhere.
/// @throws ShapeError for a bad extent; ArgumentError unless 0 <= nnz <= out_features in_features
inline TopologyPtr uniform_topology(Size out_features, Size in_features, Size nnz, const RandomKey& key,
                                    Allocator* allocator = nullptr) {
    detail::check_features("uniform_topology", out_features, in_features);
    const Buffer<Size> cells = sample_without_replacement(key, out_features * in_features, nnz, allocator);
    return Topology::from_cells(out_features, in_features, cells.span(), allocator);
}

/// The same with the memory of a context.
template <class Context>
requires std::is_same_v<typename Context::space, HostSpace> TopologyPtr uniform_topology(Context& ctx,
                                                                                         Size out_features,
                                                                                         Size in_features, Size nnz,
                                                                                         const RandomKey& key) {
    return uniform_topology(out_features, in_features, nnz, key, ctx.allocator());
}

}  // namespace snack::inline v0
