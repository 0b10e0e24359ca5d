// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The default backend without a GPU: threads and vector registers on the CPU.
// Tasks own rows of y and dw, and columns of dx, so there are no atomics and the same call gives the
// same bits at any thread count. Products are contracted to fma where
// the compiler does so; subnormals follow the floating-point environment.

#include <span>
#include <type_traits>

#include <snack/backends/host/backward.hpp>
#include <snack/backends/host/forward.hpp>
#include <snack/backends/host/plan.hpp>
#include <snack/core/scalar.hpp>
#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/row_sums.hpp>

namespace snack::inline v0 {

/// Shapes, and what is overwritten or accumulated: see concepts/backend.hpp. O(nnz batch) work;
/// scratch space for packed operands on the first call of a batch size, layout and placement of the
/// operands, no allocation after it.
/// Gradients of an inference plan throw UnsupportedError.
///
/// The kernels work on tiles of 32 samples (16 in double), each as one contiguous block. Operands
/// that lie otherwise are copied to scratch space, which costs a few per cent of the product; layers
/// that use each feature a few times only do without.
template <class Isa>
struct HostBackend {
    static constexpr const char* name = "Host";
    static constexpr Determinism determinism = Determinism::run_to_run;
    using context_type = HostContext;
    template <Scalar T>
    using plan = HostPlan;

    template <Scalar T>
    static HostPlan make_plan(HostContext& ctx, const TopologyPtr& topology, PlanUse use) {
        static_assert(std::is_same_v<Accumulator<T>, T>, "Host sums in T; a wider accumulator needs its own kernels");
        return HostPlan(ctx, topology, use);
    }

    /// y = activation(x W^T + bias). Each sample is summed along a row in an order that depends on
    /// the shape and layout of the call alone.
    template <Scalar T>
    static void forward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y, Activation activation = Activation::none) {
        detail::host::forward<Isa, T>(ctx, plan, values, bias, x, y, activation);
    }

    template <Scalar T>
    static void input_gradient(HostContext& ctx, const HostPlan& plan, std::span<const T> values,
                               MatrixView<const T> dy, MatrixView<T> dx) {
        require_training(plan);
        detail::host::input_gradient<Isa, T>(ctx, plan, values, dy, detail::host::output_gradients<Isa>(ctx, plan, dy),
                                             dx);
    }

    template <Scalar T>
    static void weight_gradient(HostContext& ctx, const HostPlan& plan, MatrixView<const T> x, MatrixView<const T> dy,
                                std::span<T> dw, T beta) {
        require_training(plan);
        detail::host::weight_gradient<Isa, T>(ctx, plan, x, dy, detail::host::output_gradients<Isa>(ctx, plan, dy), dw,
                                              beta);
    }

    /// Both gradients: dx by columns, then dw by rows, over the same entries. One walk where a single
    /// task does it and a column's x and dx share a cache line, which saves a quarter. With several tasks
    /// it would cost more, since neighbours write to the same lines of dw; with longer lines the walks are bound
    /// by moving lines, as many either way, and full tiles of dx have a walk of their own, by blocks of rows.
    template <Scalar T>
    static void backward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> x,
                         MatrixView<const T> dy, MatrixView<T> dx, std::span<T> dw, T beta) {
        require_training(plan);
        const Size width = kernels::host::tile_width<T>(dy.batch());
        const auto from = detail::host::output_gradients<Isa>(ctx, plan, dy);
        const bool share_a_line = 2 * width * static_cast<Size>(sizeof(T)) <= kernels::host::cache_line;
        // The results are the same bits, so the number of tasks may decide. They would not be for samples
        // taken one by one: those are summed in turn, and contracted to fma otherwise.
        if (width > 1 && share_a_line && !detail::host::sample_by_sample(plan.topology(), x) &&
            detail::host::column_tasks<T>(ctx, plan, width) == 1) {
            detail::host::walk_columns<Isa, true, T>(ctx, plan, values, x, from, dx, dw, beta);
        } else {
            // dx, which is always overwritten, first: scratch space that cannot be had leaves dw as it was.
            detail::host::input_gradient<Isa, T>(ctx, plan, values, dy, from, dx);
            detail::host::weight_gradient<Isa, T>(ctx, plan, x, dy, from, dw, beta);
        }
    }

    template <Scalar T>
    static void bias_gradient(HostContext& ctx, MatrixView<const T> dy, std::span<T> db, T beta) {
        ctx.parallel_ranges(dy.features(), lines_per_task(dy.batch()), [&](Size begin, Size end) {
            const auto lines = dy.empty() ? kernels::host::Lines<const T>() : detail::host::lines_of(dy).at(0, begin);
            kernels::host::row_sums<Isa>(lines, dy.batch(), end - begin, db.data() + begin, beta);
        });
    }

private:
    static void require_training(const HostPlan& plan) {
        require<UnsupportedError>(plan.use() == PlanUse::training, "Host::backward",
                                  "the plan was made for inference only");
    }
};

/// The host backend for the instruction set this translation unit is compiled for.
using Host = HostBackend<isa::Current>;

}  // namespace snack::inline v0
