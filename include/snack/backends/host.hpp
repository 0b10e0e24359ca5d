// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The default backend without a GPU: threads and vector registers on the CPU.
// Rows are owned in the forward pass and columns in the backward pass, so there are no atomics
// and the same call gives the same bits at any thread count. Products are contracted to fma where
// the compiler does so; subnormals follow the floating-point environment.

#include <span>
#include <type_traits>

#include <snack/backends/host_activations.hpp>
#include <snack/backends/host_plan.hpp>
#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/kernels/host/column_walk.hpp>
#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/row_segmented.hpp>
#include <snack/kernels/host/row_sums.hpp>
#include <snack/kernels/host/split.hpp>

namespace snack::inline v0 {

/// Shapes, and what is overwritten or accumulated: see concepts/backend.hpp. O(nnz batch) work;
/// scratch space for packed operands on the first call of a batch size, no allocation after it.
/// Gradients of an inference plan throw UnsupportedError.
///
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
        static_assert(std::is_same_v<Accumulator<T>, T>, "Host sums in T; a wider accumulator needs its own kernels");
        return HostPlan(ctx, topology, use);
    }

    /// y = x W^T + bias. Each sample is summed along a row in an order that depends on the shape of
    /// the call alone.
    template <Scalar T>
    static void forward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y) {
        const detail::FeatureMajor<const T> in = detail::packed<Isa>(ctx, detail::HostSlot::x, x);
        const detail::FeatureMajor<T> out = detail::target(ctx, y);
        plan.with_columns([&]<class Column>(const Column* columns) {
            const kernels::ForwardOperands<T, Column> op{.row_offsets = plan.topology().row_offsets().data(),
                                                         .columns = columns,
                                                         .values = values.data(),
                                                         .bias = bias.empty() ? nullptr : bias.data(),
                                                         .x = in.data,
                                                         .x_stride = in.stride,
                                                         .y = out.data,
                                                         .y_stride = out.stride,
                                                         .panel_end = plan.topology().in_features()};
            if (x.batch() == 1 && in.stride == 1) {
                for_rows(ctx, plan.topology(), 1,
                         [&](Size begin, Size end) { kernels::row_segmented_sample<Isa>(op, begin, end); });
                return;
            }
            for (Size begin = 0; begin < x.batch(); begin += chunk) {
                forward_chunk(ctx, plan.topology(), op, begin, smaller(begin + chunk, x.batch()));
            }
        });
        detail::unpack<Isa>(ctx, out, y);
    }

    template <Scalar T>
    static void input_gradient(HostContext& ctx, const HostPlan& plan, std::span<const T> values,
                               MatrixView<const T> dy, MatrixView<T> dx) {
        const detail::FeatureMajor<T> out = detail::target(ctx, dx);
        const detail::FeatureMajor<const T> from = detail::packed<Isa>(ctx, detail::HostSlot::dy, dy);
        walk<true, false, T>(ctx, plan,
                             {.values = values.data(),
                              .dy = from.data,
                              .dy_stride = from.stride,
                              .dx = out.data,
                              .dx_stride = out.stride},
                             dy.batch());
        detail::unpack<Isa>(ctx, out, dx);
    }

    template <Scalar T>
    static void weight_gradient(HostContext& ctx, const HostPlan& plan, MatrixView<const T> x, MatrixView<const T> dy,
                                std::span<T> dw, T beta) {
        const detail::FeatureMajor<const T> in = detail::packed<Isa>(ctx, detail::HostSlot::x, x);
        const detail::FeatureMajor<const T> from = detail::packed<Isa>(ctx, detail::HostSlot::dy, dy);
        walk<false, true, T>(ctx, plan,
                             {.x = in.data,
                              .x_stride = in.stride,
                              .dy = from.data,
                              .dy_stride = from.stride,
                              .dw = dw.data(),
                              .beta = beta},
                             dy.batch());
        scale_without_samples(dw, beta, dy.batch());
    }

    /// Both gradients from one walk over the entries.
    template <Scalar T>
    static void backward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> x,
                         MatrixView<const T> dy, MatrixView<T> dx, std::span<T> dw, T beta) {
        const detail::FeatureMajor<T> out = detail::target(ctx, dx);
        const detail::FeatureMajor<const T> in = detail::packed<Isa>(ctx, detail::HostSlot::x, x);
        const detail::FeatureMajor<const T> from = detail::packed<Isa>(ctx, detail::HostSlot::dy, dy);
        walk<true, true, T>(ctx, plan,
                            {.values = values.data(),
                             .x = in.data,
                             .x_stride = in.stride,
                             .dy = from.data,
                             .dy_stride = from.stride,
                             .dx = out.data,
                             .dx_stride = out.stride,
                             .dw = dw.data(),
                             .beta = beta},
                            dy.batch());
        detail::unpack<Isa>(ctx, out, dx);
        scale_without_samples(dw, beta, dy.batch());
    }

    template <Scalar T>
    static void bias_gradient(HostContext& ctx, MatrixView<const T> dy, std::span<T> db, T beta) {
        const detail::FeatureMajor<const T> from = detail::packed<Isa>(ctx, detail::HostSlot::dy, dy);
        ctx.parallel_ranges(dy.features(), detail::lines_per_task(dy.batch()), [&](Size begin, Size end) {
            kernels::row_sums<Isa>(from.data, from.stride, dy.batch(), db.data(), beta, begin, end);
        });
    }

private:
    /// Samples that are taken together; more would only spread a feature over more cache lines.
    static constexpr Size chunk = 128;
    /// Bytes of x that a forward pass should find in the second-level cache: half of 1 MiB.
    static constexpr Size panel_bytes = 1 << 19;
    /// With fewer entries than this in a row of a panel, fetching and storing its y costs more than
    /// the cache saves.
    static constexpr Size entries_per_pass = 4;
    /// Tasks a forward pass is cut into at the most, for threads to take as they come.
    static constexpr Size most_tasks = 64;

    static Size smaller(Size a, Size b) { return a < b ? a : b; }

    /// Runs body(begin, end) over the rows in tasks of about equal non-zeros.
    template <class Body>
    static void for_rows(HostContext& ctx, const Topology& topology, Size batch, const Body& body) {
        const Size* offsets = topology.row_offsets().data();
        const Size rows = topology.out_features();
        const Size tasks = kernels::tasks_for(topology.nnz(), rows, batch, most_tasks);
        const auto before = [&](Size row) { return offsets[row]; };
        ctx.parallel_for(tasks, [&](Size task) {
            body(kernels::segment_of_task(before, rows, task, tasks),
                 kernels::segment_of_task(before, rows, task + 1, tasks));
        });
    }

    /// Samples [begin, end) of a forward pass: in one go if their x fits the cache, and otherwise in
    /// panels of columns that do, with y as the running sum and a cursor for each row.
    template <class T, class Column>
    static void forward_chunk(HostContext& ctx, const Topology& topology, kernels::ForwardOperands<T, Column> op,
                              Size begin, Size end) {
        const Size in = topology.in_features();
        const Size batch = end - begin;
        const Size feature_bytes = batch * static_cast<Size>(sizeof(T));
        const Size panel = panel_bytes / feature_bytes;
        const Size panels = in / panel + 1;
        if (panels <= 2 || topology.nnz() / panels < entries_per_pass * topology.out_features()) {
            for_rows(ctx, topology, batch,
                     [&](Size row_begin, Size row_end) { forward_tiles<false>(op, row_begin, row_end, begin, end); });
            return;
        }
        op.cursors = ctx.scratch<Size>(static_cast<int>(detail::HostSlot::cursors), topology.out_features()).data();
        for (Size column = 0; column < in; column += panel) {
            op.first_pass = column == 0;
            op.panel_end = smaller(column + panel, in);
            for_rows(ctx, topology, smaller(batch, batch * panel / in + 1),
                     [&](Size row_begin, Size row_end) { forward_tiles<true>(op, row_begin, row_end, begin, end); });
        }
    }

    template <bool Panels, class T, class Column>
    static void forward_tiles(const kernels::ForwardOperands<T, Column>& op, Size row_begin, Size row_end, Size begin,
                              Size end) {
        kernels::for_each_batch_tile<T, Isa::vector_bytes>(begin, end, [&]<int Lanes, int Vectors>(Size sample) {
            const bool last = sample + Size{Lanes} * Vectors == end;
            kernels::row_segmented_tile<Isa, Lanes, Vectors, Panels>(op, row_begin, row_end, sample, last);
        });
    }

    /// Each thread walks all blocks for its own columns: the block's values and gradients stay in
    /// that thread's cache, and nobody waits at the end of a block.
    template <bool InputGradient, bool WeightGradient, class T>
    static void walk(HostContext& ctx, const HostPlan& plan, const kernels::BackwardOperands<T>& op, Size batch) {
        require<UnsupportedError>(plan.use() == PlanUse::training, "Host::backward",
                                  "the plan was made for inference only");
        const detail::HostColumnOrder& order = plan.column_order();
        const Size columns = plan.topology().in_features();
        const Size tasks = kernels::tasks_for(plan.topology().nnz(), columns, batch, ctx.threads());
        const auto before = [&](Size column) { return order.entries_before(column); };
        order.with_blocks([&](const auto& block_at) {
            ctx.parallel_for(tasks, [&](Size task) {
                const Size begin = kernels::segment_of_task(before, columns, task, tasks);
                const Size end = kernels::segment_of_task(before, columns, task + 1, tasks);
                for (Size sample = 0; sample < batch; sample += chunk) {
                    for (Size block = 0; block < order.blocks(); ++block) {
                        walk_tiles<InputGradient, WeightGradient>(op, block_at(block), begin, end, sample,
                                                                  smaller(sample + chunk, batch));
                    }
                }
            });
        });
    }

    template <bool InputGradient, bool WeightGradient, class T, class Block>
    static void walk_tiles(const kernels::BackwardOperands<T>& op, const Block& block, Size column_begin,
                           Size column_end, Size begin, Size end) {
        kernels::for_each_batch_tile<T, Isa::vector_bytes>(begin, end, [&]<int Lanes, int Vectors>(Size sample) {
            const T beta = sample == 0 ? op.beta : T{1};  // later tiles add to the first
            kernels::column_walk_tile<Isa, Lanes, Vectors, InputGradient, WeightGradient>(op, block, column_begin,
                                                                                          column_end, sample, beta);
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
