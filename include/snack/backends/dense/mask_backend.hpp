// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's Dense+Mask baseline (sections 1 and 4) for any matrix product: sparsity simulated by a mask
// of zeros and ones over a dense matrix, as most sparse training is done. What the library is compared with.

#include <snack/backends/dense/backend.hpp>

namespace snack::inline v0 {

/// W and the mask of its entries, both dense.
template <Scalar T, class Context = HostContext>
class DenseMaskPlan : public DensePlan<T, Context> {
public:
    using typename DensePlan<T, Context>::space;

    /// @throws ArgumentError if the matrix passes 2^63 bytes; what the allocator throws
    DenseMaskPlan(Context& ctx, const TopologyPtrIn<space>& topology)
        : DensePlan<T, Context>(ctx, topology), mask_(ctx.template allocate<T>(topology->cells())) {
        ctx.fill(mask_.span(), T{0});
        this->for_each_cell(ctx, detail::MarkCell<T>{mask_.data()});
    }
    DenseMaskPlan(const DenseMaskPlan& other)
        : DensePlan<T, Context>(other), mask_(other.mask_.similar(other.mask_.size())) {
        mask_.copy_from(other.mask_.span());
    }
    DenseMaskPlan(DenseMaskPlan&&) noexcept = default;
    DenseMaskPlan& operator=(const DenseMaskPlan&) = delete;
    DenseMaskPlan& operator=(DenseMaskPlan&&) noexcept = default;
    ~DenseMaskPlan() = default;

    Size bytes() const { return DensePlan<T, Context>::bytes() + mask_.bytes(); }

    /// out_features * in_features elements: one where there is an entry, zero elsewhere.
    SpanIn<const T, space> mask() const { return mask_.span(); }

private:
    BufferIn<T, space> mask_;
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
    using context_type = typename Gemm::context_type;
    template <Scalar T>
    using plan = DenseMaskPlan<T, context_type>;
    template <class T>
    using view = MatrixView<T, typename context_type::space>;
    template <class T>
    using span = SpanIn<T, typename context_type::space>;

    /// O(cells) memory and time.
    /// @throws ArgumentError if W passes 2^63 bytes; what the allocator throws
    template <Scalar T>
    static plan<T> make_plan(context_type& ctx, const TopologyPtrIn<typename context_type::space>& topology, PlanUse) {
        return plan<T>(ctx, topology);
    }

    template <Scalar T>
    static void forward(context_type& ctx, const plan<T>& plan, span<const T> values, span<const T> bias,
                        view<const T> x, view<T> y) {
        T* const masked = DenseBackend<Gemm>::template workspace<T>(ctx, plan);
        multiply_mask<T>(ctx, plan, plan.weights(values).data(), masked);
        DenseBackend<Gemm>::template multiply_weights<T>(ctx, plan.matrix(masked), bias, x, y);
    }

    template <Scalar T>
    static void weight_gradient(context_type& ctx, const plan<T>& plan, view<const T> x, view<const T> dy, span<T> dw,
                                T beta) {
        Gemm::prepare(ctx);
        DenseBackend<Gemm>::template reserve_ones<T>(ctx, dy.batch());
        T* const gradient = DenseBackend<Gemm>::template workspace<T>(ctx, plan);
        Gemm::template multiply<T>(ctx, transposed(dy), x, T{0}, plan.matrix(gradient));
        multiply_mask<T>(ctx, plan, gradient, gradient);
        plan.for_each_cell(ctx, detail::GatherFromCell<T>{gradient, dw.data(), beta});
    }

private:
    template <class T>
    static void multiply_mask(context_type& ctx, const plan<T>& plan, const T* from, T* to) {
        ctx.for_each_index(plan.topology().cells(), detail::MultiplyMask<T>{from, plan.mask().data(), to});
    }
};

}  // namespace snack::inline v0
