// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// An owning sparse matrix in GPU memory: what a layer there is built from when a user's entries are on the
// device already. CooMatrix is the one on the host.

#include <concepts>
#include <utility>

#include <snack/core/scalar.hpp>
#include <snack/sparse/coo_view.hpp>
#include <snack/sparse/cuda_canonical.cuh>

namespace snack::inline v0 {

namespace detail {

/// to[e] = from[permutation[e]]
template <class T>
struct Permute {
    const T* from;
    const Size* permutation;
    T* to;
    SNACK_HOST_DEVICE void operator()(Size e) const { to[e] = from[permutation[e]]; }
};

}  // namespace detail

/// (out_features, in_features) matrix in canonical COO: sorted by (row, column), unique, in range. Movable. For
/// a layer: `SparseLinear(ctx, matrix.topology(), matrix.values(), bias)`.
template <Scalar T>
class CudaCooMatrix {
public:
    /// Checks and sorts the entries on the device; the values follow. The arrays are read in the order of the
    /// context's stream, and waited for.
    /// @throws ShapeError, TopologyError as `canonicalize`; ShapeError for a wrong number of values;
    ///         ArgumentError for memory that the device does not reach
    template <std::integral Integer>
    CudaCooMatrix(CudaContext& ctx, const CooView<T, Integer, CudaSpace>& entries)
        : CudaCooMatrix(ctx, checked(ctx, entries),
                        canonicalize(ctx, entries.out_features, entries.in_features, entries.rows, entries.columns)) {}

    Size out_features() const noexcept { return topology_ ? topology_->out_features() : 0; }
    Size in_features() const noexcept { return topology_ ? topology_->in_features() : 0; }
    Size nnz() const noexcept { return values_.size(); }

    /// Null for a moved-from matrix.
    const CudaTopologyPtr& topology() const noexcept { return topology_; }

    DeviceSpan<T> values() noexcept { return values_.span(); }
    DeviceSpan<const T> values() const noexcept { return values_.span(); }

    /// Where each entry stood in the arrays the matrix was made from (nnz): sorted[e] = yours[permutation()[e]].
    DeviceSpan<const Size> permutation() const noexcept { return permutation_.span(); }

private:
    CudaCooMatrix(CudaContext& ctx, DeviceSpan<const T> values, CudaCanonical&& canonical)
        : topology_(std::move(canonical.topology)),
          values_(ctx.allocate<T>(topology_->nnz())),
          permutation_(std::move(canonical.permutation)) {
        ctx.for_each_index(nnz(), detail::Permute<T>{values.data(), permutation_.data(), values_.data()});
        ctx.synchronize();
    }

    template <std::integral Integer>
    static DeviceSpan<const T> checked(const CudaContext& ctx, const CooView<T, Integer, CudaSpace>& entries) {
        require<ShapeError>(entries.values.size() == entries.rows.size(), "CudaCooMatrix", entries.values.size(),
                            " values for ", entries.rows.size(), " entries");
        if (!entries.values.empty()) {
            ctx.require_own("CudaCooMatrix", "values", entries.values.data());
        }
        return entries.values;
    }

    CudaTopologyPtr topology_;
    DeviceBuffer<T> values_;
    DeviceBuffer<Size> permutation_;
};

}  // namespace snack::inline v0
