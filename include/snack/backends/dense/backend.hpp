// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's dense baseline (section 4) for any matrix product: the layer as a dense one, whatever the
// sparsity. For benchmarks and tests of equivalence; it does what the library is there to avoid.

#include <snack/backends/dense/plan.hpp>
#include <snack/backends/dense/steps.hpp>
#include <snack/backends/gpu/bias_gradient.hpp>

namespace snack::inline v0 {

/// Gemm has a context_type, a determinism, `prepare(ctx)` and `multiply(ctx, a, b, beta, c)`: C = beta C + A B.
///
/// Shapes, and what is overwritten or accumulated: see concepts/backend.hpp. With cells =
/// out_features * in_features, a pass is one matrix product, O(cells batch) work; to renew the weights
/// and to pick the entries of the gradient is O(nnz), on a device O(nnz log out_features). Memory: W in the plan and
/// its gradient in scratch space, cells elements each; none of either for a full topology, whose values and gradients
/// are the operands of the products where they lie. Both layouts are taken as they are.
///
/// An absent entry is a zero: NaN and infinity in x or dy reach every y, dx and dw that a full matrix
/// would spread them to.
template <class Gemm>
struct DenseBackend {
    static constexpr const char* name = "Dense";
    static constexpr Determinism determinism = Gemm::determinism;
    static constexpr bool forms_dense = true;
    using context_type = typename Gemm::context_type;
    template <Scalar T>
    using plan = DensePlan<T, context_type>;
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

    /// Writes the values to their cells of W.
    template <Scalar T>
    static void refresh(context_type& ctx, plan<T>& plan, span<const T> values) {
        if (!plan.is_full()) {
            plan.for_each_cell(ctx, detail::ScatterToCell<T>{values.data(), plan.copied_weights().data()});
        }
    }

    template <Scalar T>
    static void forward(context_type& ctx, const plan<T>& plan, span<const T> values, span<const T> bias,
                        view<const T> x, view<T> y) {
        multiply_weights<T>(ctx, plan.weights(values), bias, x, y);
    }

    template <Scalar T>
    static void input_gradient(context_type& ctx, const plan<T>& plan, span<const T> values, view<const T> dy,
                               view<T> dx) {
        Gemm::template multiply<T>(ctx, dy, plan.weights(values), T{0}, dx);
    }

    template <Scalar T>
    static void weight_gradient(context_type& ctx, const plan<T>& plan, view<const T> x, view<const T> dy, span<T> dw,
                                T beta) {
        Gemm::prepare(ctx);
        reserve_ones<T>(ctx, dy.batch());
        if (plan.is_full()) {
            Gemm::template multiply<T>(ctx, transposed(dy), x, beta, plan.matrix(dw.data()));
            return;
        }
        T* const gradient = workspace<T>(ctx, plan);
        Gemm::template multiply<T>(ctx, transposed(dy), x, T{0}, plan.matrix(gradient));
        plan.for_each_cell(ctx, detail::GatherFromCell<T>{gradient, dw.data(), beta});
    }

    /// On the host as the product of a row of ones and dy.
    template <Scalar T>
    static void bias_gradient(context_type& ctx, view<const T> dy, span<T> db, T beta) {
        if constexpr (on_host) {
            const span<T> ones = reserve_ones<T>(ctx, dy.batch());
            ctx.fill(ones, T{1});
            Gemm::template multiply<T>(ctx, view<const T>(ones.data(), 1, dy.batch()), dy, beta,
                                       view<T>(db.data(), 1, dy.features()));
        } else {
            BiasGradientOnGpu<context_type>::template bias_gradient<T>(ctx, dy, db, beta);
        }
    }

protected:
    /// y = x W^T + bias: the bias is written first and the product added to it.
    template <class T>
    static void multiply_weights(context_type& ctx, const view<const T>& weights, span<const T> bias,
                                 const view<const T>& x, const view<T>& y) {
        Gemm::prepare(ctx);
        if (!bias.empty()) {
            detail::write_bias(ctx, bias.data(), y);
        }
        Gemm::template multiply<T>(ctx, x, transposed(weights), bias.empty() ? T{0} : T{1}, y);
    }

    static constexpr bool on_host = std::is_same_v<typename context_type::space, HostSpace>;

    /// The scratch space of bias_gradient, taken before weight_gradient writes: a backward pass that lacks
    /// memory fails before it changes a gradient.
    template <class T>
    static span<T> reserve_ones(context_type& ctx, Size batch) {
        return ctx.template scratch<T>(static_cast<int>(detail::DenseSlot::ones), on_host ? batch : 0);
    }

    /// cells elements of scratch space.
    template <class T>
    static T* workspace(context_type& ctx, const plan<T>& plan) {
        return ctx.template scratch<T>(static_cast<int>(detail::DenseSlot::matrix), plan.topology().cells()).data();
    }
};

}  // namespace snack::inline v0
