// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's Dense+Mask baseline on the host (sections 1 and 4): sparsity simulated by a mask of
// zeros and ones over a dense matrix, as most sparse training is done. What the library is compared
// with; snack.hpp leaves it out, because it allocates out_features x in_features several times over.

#include <span>

#include <snack/backends/dense.hpp>

namespace snack::inline v0 {

/// W and the mask of its entries, both dense.
template <Scalar T>
class DenseMaskPlan : public DensePlan<T> {
public:
    /// @throws ArgumentError if the matrix passes 2^63 bytes; what the allocator throws
    DenseMaskPlan(HostContext& ctx, const TopologyPtr& topology)
        : DensePlan<T>(ctx, topology), mask_(topology->cells(), T{0}, ctx.allocator()) {
        this->for_each_cell(ctx, [mask = mask_.data()](Size, Size cell) { mask[cell] = 1; });
    }
    DenseMaskPlan(const DenseMaskPlan& other) : DensePlan<T>(other), mask_(other.mask_.clone()) {}
    DenseMaskPlan(DenseMaskPlan&&) noexcept = default;
    DenseMaskPlan& operator=(const DenseMaskPlan&) = delete;
    DenseMaskPlan& operator=(DenseMaskPlan&&) noexcept = default;
    ~DenseMaskPlan() = default;

    Size bytes() const { return DensePlan<T>::bytes() + mask_.bytes(); }

    /// out_features * in_features elements: one where there is an entry, zero elsewhere.
    std::span<const T> mask() const { return mask_.span(); }

private:
    Buffer<T> mask_;
};

/// A forward pass multiplies W by the mask, element by element, into a workspace and then x by that;
/// a backward pass forms the dense weight gradient and multiplies it by the mask. So a step costs the
/// three matrix products of `Dense` and two passes over cells = out_features * in_features elements
/// besides, whatever the sparsity. Memory: W and mask in the plan, cells elements each, and a third
/// array of that size in scratch space.
///
/// Where such code differs, this one is the cheaper: the input gradient reads W, which is zero off the
/// mask, in place of a product saved for it; masked weights and gradient share the workspace; and an
/// optimiser sees the nnz values only. NaN and infinity spread as in `Dense`.
template <class Gemm>
struct DenseMaskBackend : DenseBackend<Gemm> {
    static constexpr const char* name = "DenseMask";
    template <Scalar T>
    using plan = DenseMaskPlan<T>;

    /// O(cells) memory and time.
    /// @throws ArgumentError if W passes 2^63 bytes; what the allocator throws
    template <Scalar T>
    static DenseMaskPlan<T> make_plan(HostContext& ctx, const TopologyPtr& topology, PlanUse) {
        return DenseMaskPlan<T>(ctx, topology);
    }

    template <Scalar T>
    static void forward(HostContext& ctx, const DenseMaskPlan<T>& plan, std::span<const T> values,
                        std::span<const T> bias, MatrixView<const T> x, MatrixView<T> y) {
        T* const masked = workspace(ctx, plan);
        multiply_mask(ctx, plan, plan.weights(values).data(), masked);
        DenseBackend<Gemm>::template multiply_weights<T>(ctx, plan.matrix(masked), bias, x, y);
    }

    template <Scalar T>
    static void weight_gradient(HostContext& ctx, const DenseMaskPlan<T>& plan, MatrixView<const T> x,
                                MatrixView<const T> dy, std::span<T> dw, T beta) {
        T* const gradient = workspace(ctx, plan);
        Gemm::multiply(ctx, transposed(dy), x, T{0}, plan.matrix(gradient));
        multiply_mask(ctx, plan, gradient, gradient);
        DenseBackend<Gemm>::template gather<T>(ctx, plan, gradient, dw, beta);
    }

private:
    template <class T>
    static T* workspace(HostContext& ctx, const DenseMaskPlan<T>& plan) {
        return ctx.scratch<T>(static_cast<int>(detail::DenseSlot::matrix), plan.topology().cells()).data();
    }

    /// to = from * mask, element by element; `to` may be `from`.
    template <class T>
    static void multiply_mask(HostContext& ctx, const DenseMaskPlan<T>& plan, const T* from, T* to) {
        const T* const mask = plan.mask().data();
        ctx.parallel_ranges(plan.topology().cells(), lines_per_task(1), [=](Size begin, Size end) {
            for (Size cell = begin; cell < end; ++cell) {
                to[cell] = from[cell] * mask[cell];
            }
        });
    }
};

/// With OpenBLAS if SNACK_WITH_BLAS is defined; see `Dense`.
using DenseMask = DenseMaskBackend<kernels::host::Gemm<isa::Current>>;

}  // namespace snack::inline v0
