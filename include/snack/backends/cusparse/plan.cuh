// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A topology as cuSPARSE takes it, and for each kind of call a descriptor with the workspace that the
// library's preprocessing has filled.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <snack/core/scalar.hpp>
#include <snack/kernels/gpu/cusparse.cuh>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

/// The three products of a layer.
enum class CuSparseCall { product, transposed_product, sampled_product };

namespace detail {

/// to[i] = from[i], narrowed.
struct NarrowOffset {
    const Size* from;
    Index* to;
    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] = static_cast<Index>(from[i]); }
};

}  // namespace detail

/// 32-bit row offsets (CSR), or the row of each entry besides (COO); columns are the topology's. A
/// descriptor and a workspace are added on the first call of each kind, layout and batch size in each
/// context, and kept until the plan dies.
template <Scalar T>
class CuSparsePlan {
public:
    /// What a call runs with.
    struct Prepared {
        kernels::gpu::SparseDescriptor matrix;
        DeviceBuffer<unsigned char> workspace;
    };

    /// @throws UnsupportedError for 2^31 entries or more
    CuSparsePlan(CudaContext& ctx, CudaTopologyPtr topology, bool coo)
        : topology_(std::move(topology)), shared_(std::make_unique<Shared>()) {
        const Size nnz = topology_->nnz();
        require<UnsupportedError>(nnz < Size{1} << 31, "CuSparse", nnz, " entries; it takes less than 2^31");
        const Size* const offsets = topology_->row_offsets().data();
        offsets_ = ctx.allocate<Index>(topology_->out_features() + 1);
        ctx.for_each_index(offsets_.size(), detail::NarrowOffset{offsets, offsets_.data()});
        if (coo) {
            rows_ = ctx.allocate<Index>(nnz);
            ctx.for_each_index(nnz, detail::RowOfEntry{offsets, topology_->out_features(), rows_.data()});
        }
    }

    const CudaTopology& topology() const noexcept { return *topology_; }
    std::uint64_t topology_version() const noexcept { return topology_->version(); }
    Size bytes() const {
        const std::lock_guard lock(shared_->mutex);
        Size sum = offsets_.bytes() + rows_.bytes();
        for (const auto& entry : shared_->entries) {
            sum += entry->workspace.bytes();
        }
        return sum;
    }

    /// The descriptor and workspace of a call, with `values` (nnz) in the descriptor. On the first call of
    /// its kind, `bytes(matrix)` tells the size of the workspace and `preprocess(matrix, workspace)` fills it.
    /// @throws UnsupportedError if that would be while the stream records a graph
    template <class Bytes, class Preprocess>
    Prepared& prepared(CudaContext& ctx, CuSparseCall call, Layout layout, Size batch, const T* values,
                       const Bytes& bytes, const Preprocess& preprocess) const {
        const std::lock_guard lock(shared_->mutex);
        for (const auto& entry : shared_->entries) {
            if (entry->context == ctx.id() && entry->call == call && entry->layout == layout && entry->batch == batch) {
                detail::require_cusparse(cusparseSpMatSetValues(entry->matrix.get(), const_cast<T*>(values)),
                                         "cusparseSpMatSetValues");
                return *entry;
            }
        }
        ctx.require_not_capturing("CuSparse");
        auto entry = std::make_unique<Entry>();
        entry->context = ctx.id();
        entry->call = call;
        entry->layout = layout;
        entry->batch = batch;
        entry->matrix = describe(call, values);
        // One byte at least, so that the memory of the context lives on and its id stays its own.
        const auto size = static_cast<Size>(bytes(entry->matrix.get()));
        entry->workspace = ctx.allocate<unsigned char>(size > 0 ? size : 1);
        preprocess(entry->matrix.get(), entry->workspace.data());
        shared_->entries.push_back(std::move(entry));
        return *shared_->entries.back();
    }

private:
    struct Entry : Prepared {
        const void* context = nullptr;
        CuSparseCall call{};
        Layout layout{};
        Size batch = 0;
    };
    struct Shared {
        std::mutex mutex;
        std::vector<std::unique_ptr<Entry>> entries;
    };

    /// SDDMM takes CSR only.
    kernels::gpu::SparseDescriptor describe(CuSparseCall call, const T* values) const {
        kernels::gpu::SparseDescriptor matrix;
        const Size rows = topology_->out_features();
        const Size columns = topology_->in_features();
        const Size nnz = topology_->nnz();
        auto* const column_indices = const_cast<Index*>(topology_->columns().data());
        auto* const elements = const_cast<T*>(values);
        constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
        if (rows_.size() > 0 && call != CuSparseCall::sampled_product) {
            detail::require_cusparse(
                cusparseCreateCoo(matrix.receive(), rows, columns, nnz, const_cast<Index*>(rows_.data()),
                                  column_indices, elements, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
                "cusparseCreateCoo");
        } else {
            detail::require_cusparse(
                cusparseCreateCsr(matrix.receive(), rows, columns, nnz, const_cast<Index*>(offsets_.data()),
                                  column_indices, elements, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ZERO, type),
                "cusparseCreateCsr");
        }
        return matrix;
    }

    CudaTopologyPtr topology_;
    DeviceBuffer<Index> offsets_;
    DeviceBuffer<Index> rows_;
    std::unique_ptr<Shared> shared_;
};

}  // namespace snack::inline v0
