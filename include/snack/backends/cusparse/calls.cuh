// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a context holds for cuSPARSE: the handle, and for each plan and kind of call a descriptor of the
// matrix with the workspace that the library's preprocessing has filled.

#include <memory>
#include <utility>
#include <vector>

#include <snack/backends/cusparse/algorithm.cuh>
#include <snack/backends/cusparse/plan.cuh>

namespace snack::inline v0::detail {

/// The products of a layer, and the forms in which the library computes them.
enum class CuSparseCall { vector, transposed_vector, matrix, transposed_matrix, sampled };

/// Made by CudaContext::handle. What was prepared for a plan is kept until the plan is gone and something
/// else is prepared, or the context dies.
class CuSparseCalls {
public:
    explicit CuSparseCalls(CudaContext& ctx) : handle_(ctx) {}

    cusparseHandle_t handle() const { return handle_.get(); }

    /// What a call runs with.
    struct Prepared {
        kernels::gpu::SparseDescriptor matrix;
        DeviceBuffer<unsigned char> workspace;
    };

    /// Which call of a plan: the library binds what it prepares to all of these.
    struct Kind {
        CuSparseAlgorithm algorithm;
        CuSparseCall call;
        cudaDataType type;
        Layout layout;
        Size batch;

        bool operator==(const Kind&) const = default;
    };

    /// The descriptor and workspace of a call, with `values` (nnz) in the descriptor. On the first call of
    /// its kind, `bytes(matrix)` tells the size of the workspace and `preprocess(matrix, workspace)` fills it.
    /// @throws UnsupportedError if that would be while the stream records a graph
    template <class T, class Bytes, class Preprocess>
    Prepared& prepared(CudaContext& ctx, const CuSparsePlan& plan, const Kind& kind, const T* values,
                       const Bytes& bytes, const Preprocess& preprocess) {
        const std::shared_ptr<const void> token = plan.token();
        for (const auto& entry : entries_) {
            if (entry->kind == kind && entry->plan.lock() == token) {
                require_cusparse(cusparseSpMatSetValues(entry->matrix.get(), const_cast<T*>(values)),
                                 "cusparseSpMatSetValues");
                return *entry;
            }
        }
        ctx.require_not_capturing("CuSparse", recording_text);
        std::erase_if(entries_, [](const auto& entry) { return entry->plan.expired(); });
        auto entry = std::make_unique<Entry>();
        entry->plan = token;
        entry->kind = kind;
        entry->matrix = plan.describe(values, kind.call == CuSparseCall::sampled);  // SDDMM takes CSR only
        entry->workspace = ctx.allocate<unsigned char>(static_cast<Size>(bytes(entry->matrix.get())));
        preprocess(entry->matrix.get(), entry->workspace.data());
        entries_.push_back(std::move(entry));
        return *entries_.back();
    }

    /// Bytes of all workspaces; one is added for each kind of call, and so for each batch size.
    Size bytes() const {
        Size sum = 0;
        for (const auto& entry : entries_) {
            sum += entry->workspace.bytes();
        }
        return sum;
    }

private:
    struct Entry : Prepared {
        std::weak_ptr<const void> plan;
        Kind kind{};
    };

    kernels::gpu::CusparseHandle handle_;
    std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace snack::inline v0::detail
