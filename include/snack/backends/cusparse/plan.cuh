// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A topology as cuSPARSE takes it.

#include <memory>
#include <utility>

#include <snack/kernels/gpu/cusparse.cuh>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

namespace detail {

/// to[i] = from[i], narrowed.
struct NarrowOffset {
    const Size* from;
    Index* to;
    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] = static_cast<Index>(from[i]); }
};

}  // namespace detail

/// 32-bit row offsets (CSR), and the row of each entry besides for COO; columns are the topology's. What the
/// library prepares for a plan belongs to the context of the call, see CuSparseCalls.
class CuSparsePlan {
public:
    /// @throws UnsupportedError for 2^31 entries or more
    CuSparsePlan(CudaContext& ctx, CudaTopologyPtr topology, bool coo)
        : arrays_(std::make_shared<const Arrays>(ctx, std::move(topology), coo)) {}

    const CudaTopology& topology() const noexcept { return *arrays_->topology; }
    std::uint64_t topology_version() const noexcept { return topology().version(); }
    Size bytes() const noexcept { return arrays_->offsets.bytes() + arrays_->rows.bytes(); }

    /// What lives as long as the plan and its copies do.
    std::shared_ptr<const void> token() const noexcept { return arrays_; }

    /// W with `values` (nnz), as COO if the plan has the rows and `as_csr` is not asked for.
    template <class T>
    kernels::gpu::SparseDescriptor describe(const T* values, bool as_csr) const {
        kernels::gpu::SparseDescriptor matrix;
        const Size nnz = topology().nnz();
        auto* const columns = const_cast<Index*>(topology().columns().data());
        auto* const elements = const_cast<T*>(values);
        constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
        if (arrays_->rows.size() > 0 && !as_csr) {
            detail::require_cusparse(
                cusparseCreateCoo(matrix.receive(), topology().out_features(), topology().in_features(), nnz,
                                  const_cast<Index*>(arrays_->rows.data()), columns, elements, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ZERO, type),
                "cusparseCreateCoo");
        } else {
            detail::require_cusparse(
                cusparseCreateCsr(matrix.receive(), topology().out_features(), topology().in_features(), nnz,
                                  const_cast<Index*>(arrays_->offsets.data()), columns, elements, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
                "cusparseCreateCsr");
        }
        return matrix;
    }

private:
    struct Arrays {
        Arrays(CudaContext& ctx, CudaTopologyPtr of, bool coo) : topology(std::move(of)) {
            const Size nnz = topology->nnz();
            require<UnsupportedError>(nnz < Size{1} << 31, "CuSparse", nnz, " entries; it takes less than 2^31");
            const Size* const from = topology->row_offsets().data();
            offsets = ctx.allocate<Index>(topology->out_features() + 1);
            ctx.for_each_index(offsets.size(), detail::NarrowOffset{from, offsets.data()});
            if (coo) {
                rows = ctx.allocate<Index>(nnz);
                ctx.for_each_index(nnz, detail::RowOfEntry{from, topology->out_features(), rows.data()});
            }
        }

        CudaTopologyPtr topology;
        DeviceBuffer<Index> offsets;
        DeviceBuffer<Index> rows;
    };

    std::shared_ptr<const Arrays> arrays_;
};

}  // namespace snack::inline v0
