// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The default backend without a GPU: threads and vector registers on the CPU.
// Rows are owned in the forward pass and columns in the backward pass, so there are no atomics
// and the same call gives the same bits at any thread count. Products are contracted to fma where
// the compiler does so; subnormals follow the floating-point environment.

#include <span>

#include <snack/backends/host_plan.hpp>
#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/kernels/host/column_walk.hpp>
#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/row_segmented.hpp>
#include <snack/kernels/host/split.hpp>
#include <snack/kernels/host/transpose.hpp>

namespace snack::inline v0 {

/// The kernels work on `features x batch`. Column-major views, and a single row-major sample, are
/// used where they lie; other row-major views are copied to scratch space and back.
template <class Isa>
struct HostBackend {
    static constexpr const char* name = "Host";
    static constexpr Determinism determinism = Determinism::run_to_run;
    using context_type = HostContext;
    template <Scalar T>
    using plan = HostPlan;

    template <Scalar T>
    static HostPlan make_plan(HostContext& ctx, const TopologyPtr& topology, PlanUse use) {
        return HostPlan(ctx, topology, use);
    }

    /// y = x W^T + bias, summed along a row in canonical order for each sample (in four running
    /// sums for a single sample).
    template <Scalar T>
    static void forward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y) {
        const Topology& pattern = plan.topology();
        const FeatureMajor<const T> in = packed(ctx, 0, x);
        const FeatureMajor<T> out = target(ctx, 1, y);
        plan.with_columns([&]<class Column>(const Column* columns) {
            const kernels::ForwardOperands<T, Column> op{pattern.row_offsets().data(),
                                                         columns,
                                                         values.data(),
                                                         bias.empty() ? nullptr : bias.data(),
                                                         in.data,
                                                         in.stride,
                                                         out.data,
                                                         out.stride};
            for_segments(ctx, pattern.row_offsets(), x.batch(), [&](Size begin, Size end) {
                if (x.batch() == 1 && in.stride == 1) {
                    kernels::row_segmented_sample(op, begin, end);
                    return;
                }
                kernels::for_each_batch_tile<T, Isa::vector_bytes>(x.batch(), [&]<int Lanes, int Vectors>(Size sample) {
                    kernels::row_segmented_tile<Lanes, Vectors>(op, begin, end, sample);
                });
            });
        });
        unpack(ctx, out, y);
    }

    template <Scalar T>
    static void input_gradient(HostContext& ctx, const HostPlan& plan, std::span<const T> values,
                               MatrixView<const T> dy, MatrixView<T> dx) {
        const FeatureMajor<T> out = target(ctx, 1, dx);
        walk<true, false, T>(ctx, plan, values, {}, packed(ctx, 2, dy), out, nullptr, T{0}, dy.batch());
        unpack(ctx, out, dx);
    }

    template <Scalar T>
    static void weight_gradient(HostContext& ctx, const HostPlan& plan, MatrixView<const T> x, MatrixView<const T> dy,
                                std::span<T> dw, T beta) {
        walk<false, true, T>(ctx, plan, {}, packed(ctx, 0, x), packed(ctx, 2, dy), {}, dw.data(), beta, dy.batch());
        scale_without_samples(dw, beta, dy.batch());
    }

    /// Both gradients from one walk over the entries.
    template <Scalar T>
    static void backward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> x,
                         MatrixView<const T> dy, MatrixView<T> dx, std::span<T> dw, T beta) {
        const FeatureMajor<T> out = target(ctx, 1, dx);
        walk<true, true, T>(ctx, plan, values, packed(ctx, 0, x), packed(ctx, 2, dy), out, dw.data(), beta, dy.batch());
        unpack(ctx, out, dx);
        scale_without_samples(dw, beta, dy.batch());
    }

    template <Scalar T>
    static void bias_gradient(HostContext& ctx, MatrixView<const T> dy, std::span<T> db, T beta) {
        const FeatureMajor<const T> in = packed(ctx, 2, dy);
        ctx.parallel_ranges(dy.features(), grain(dy.batch()), [&](Size begin, Size end) {
            kernels::row_sums<Isa::vector_bytes>(in.data, in.stride, dy.batch(), db.data(), beta, begin, end);
        });
    }

private:
    /// (features, batch), samples side by side.
    template <class T>
    struct FeatureMajor {
        T* data = nullptr;
        Size stride = 0;
    };

    /// Features of a task that moves or sums `batch` numbers each.
    static Size grain(Size batch) { return (1 << 15) / (batch + 1) + 1; }

    template <class T>
    static bool lies_feature_major(const MatrixView<T>& view) {
        return view.layout() == Layout::column_major || view.batch() <= 1;
    }

    template <class T>
    static FeatureMajor<T> in_place(const MatrixView<T>& view) {
        return {view.data(), view.feature_stride()};
    }

    /// The view itself, or a copy of it in scratch slot `slot`.
    template <class T>
    static FeatureMajor<const T> packed(HostContext& ctx, int slot, const MatrixView<const T>& view) {
        if (lies_feature_major(view)) {
            return in_place(view);
        }
        const Size batch = view.batch();
        T* to = ctx.scratch<T>(slot, batch * view.features()).data();
        ctx.parallel_ranges(view.features(), grain(batch), [&](Size begin, Size end) {
            kernels::transpose_rows(view.data() + begin, view.stride(), to + begin * batch, batch, 0, batch,
                                    end - begin);
        });
        return {to, batch};
    }

    /// The view itself, or uninitialised scratch space to be unpacked into it.
    template <class T>
    static FeatureMajor<T> target(HostContext& ctx, int slot, const MatrixView<T>& view) {
        if (lies_feature_major(view)) {
            return in_place(view);
        }
        return {ctx.scratch<T>(slot, view.batch() * view.features()).data(), view.batch()};
    }

    template <class T>
    static void unpack(HostContext& ctx, const FeatureMajor<T>& from, const MatrixView<T>& view) {
        if (lies_feature_major(view)) {
            return;
        }
        ctx.parallel_ranges(view.batch(), grain(view.features()), [&](Size begin, Size end) {
            kernels::transpose_rows(from.data + begin, from.stride, view.data() + begin * view.stride(), view.stride(),
                                    0, view.features(), end - begin);
        });
    }

    /// Runs body(begin, end) over segments (rows or columns) in tasks of about equal non-zeros.
    template <class Body>
    static void for_segments(HostContext& ctx, std::span<const Size> offsets, Size batch, const Body& body) {
        const auto segments = static_cast<Size>(offsets.size()) - 1;
        const Size tasks = kernels::tasks_for(offsets.back(), segments, batch);
        ctx.parallel_for(tasks, [&](Size task) {
            const Size begin = kernels::segment_of_task(offsets.data(), segments, task, tasks);
            const Size end = kernels::segment_of_task(offsets.data(), segments, task + 1, tasks);
            if (begin < end) {
                body(begin, end);
            }
        });
    }

    template <bool InputGradient, bool WeightGradient, class T>
    static void walk(HostContext& ctx, const HostPlan& plan, std::span<const T> values, FeatureMajor<const T> x,
                     FeatureMajor<const T> dy, FeatureMajor<T> dx, T* dw, T beta, Size batch) {
        require<UnsupportedError>(plan.use() == PlanUse::training, "Host::backward",
                                  "the plan was made for inference only");
        plan.with_column_order([&]<class Row, class Position>(const Row* rows, const Position* positions) {
            const kernels::BackwardOperands<T, Row, Position> op{plan.column_offsets().data(),
                                                                 rows,
                                                                 positions,
                                                                 values.data(),
                                                                 x.data,
                                                                 x.stride,
                                                                 dy.data,
                                                                 dy.stride,
                                                                 dx.data,
                                                                 dx.stride,
                                                                 dw,
                                                                 beta};
            for_segments(ctx, plan.column_offsets(), batch, [&](Size begin, Size end) {
                kernels::for_each_batch_tile<T, Isa::vector_bytes>(batch, [&]<int Lanes, int Vectors>(Size sample) {
                    kernels::column_walk_tile<Lanes, Vectors, InputGradient, WeightGradient>(op, begin, end, sample);
                });
            });
        });
    }

    /// Without samples no tile runs, so beta is applied here.
    template <class T>
    static void scale_without_samples(std::span<T> dw, T beta, Size batch) {
        if (batch == 0) {
            for (T& gradient : dw) {
                gradient = beta == 0 ? T{0} : beta * gradient;
            }
        }
    }
};

/// The host backend for the instruction set this translation unit is compiled for.
using Host = HostBackend<isa::Current>;

}  // namespace snack::inline v0
