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
#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/row_segmented.hpp>
#include <snack/kernels/host/row_sums.hpp>
#include <snack/kernels/host/row_walk.hpp>
#include <snack/kernels/host/split.hpp>

namespace snack::inline v0 {

/// Shapes, and what is overwritten or accumulated: see concepts/backend.hpp. O(nnz batch) work;
/// scratch space for packed operands on the first call of a batch size, no allocation after it.
/// Gradients of an inference plan throw UnsupportedError.
///
/// The kernels work on tiles of 32 samples (16 in double), each as one contiguous block. Operands
/// that lie otherwise are copied to scratch space, which costs a few per cent of the product.
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
    /// the shape of the call alone.
    template <Scalar T>
    static void forward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y, Activation activation = Activation::none) {
        const detail::Tiles<T> in = detail::tiles<Isa>(ctx, detail::HostSlot::x, x, true);
        plan.with_columns([&]<class Column>(const Column* columns) {
            kernels::ForwardOperands<T, Column> op{.segments = plan.all_segments(),
                                                   .columns = columns,
                                                   .values = values.data(),
                                                   .bias = bias.empty() ? nullptr : bias.data(),
                                                   .x = in.data,
                                                   .y = detail::lines_of(y),
                                                   .samples = x.batch(),
                                                   .rectify = activation == Activation::relu};
            if (x.batch() == 1) {
                for_rows(ctx, plan.topology(), 1, 1,
                         [&](Size, Size begin, Size end) { kernels::row_segmented_sample<Isa>(op, begin, end); });
            } else {
                forward_tiles(ctx, plan, op, in, x.batch());
            }
        });
    }

    template <Scalar T>
    static void input_gradient(HostContext& ctx, const HostPlan& plan, std::span<const T> values,
                               MatrixView<const T> dy, MatrixView<T> dx) {
        require_training(plan);
        const detail::Tiles<T> from = detail::tiles<Isa>(ctx, detail::HostSlot::dy, dy, false);
        walk_columns<false, T>(ctx, plan, values, {}, from, dx, {}, T{0});
    }

    template <Scalar T>
    static void weight_gradient(HostContext& ctx, const HostPlan& plan, MatrixView<const T> x, MatrixView<const T> dy,
                                std::span<T> dw, T beta) {
        require_training(plan);
        const detail::Tiles<T> from = detail::tiles<Isa>(ctx, detail::HostSlot::dy, dy, false);
        walk_rows<T>(ctx, plan, x, from, dy.batch(), dw, beta);
    }

    /// Both gradients. One walk where x and dx of a column share a cache line and one thread does it
    /// all; two over the same entries otherwise, since threads that own columns would write to each
    /// other's lines of dw, and since a walk is bound by the lines it moves between caches: three a tile
    /// and entry either way.
    template <Scalar T>
    static void backward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> x,
                         MatrixView<const T> dy, MatrixView<T> dx, std::span<T> dw, T beta) {
        require_training(plan);
        const detail::Tiles<T> from = detail::tiles<Isa>(ctx, detail::HostSlot::dy, dy, false);
        const Size width = kernels::tile_width<T>(dy.batch());
        if (dy.batch() > 0 && 2 * width * static_cast<Size>(sizeof(T)) <= kernels::cache_line &&
            walk_tasks<T>(ctx, plan, width) == 1) {
            walk_columns<true, T>(ctx, plan, values, x, from, dx, dw, beta);
        } else {
            walk_rows<T>(ctx, plan, x, from, dy.batch(), dw, beta);
            walk_columns<false, T>(ctx, plan, values, {}, from, dx, {}, T{0});
        }
    }

    template <Scalar T>
    static void bias_gradient(HostContext& ctx, MatrixView<const T> dy, std::span<T> db, T beta) {
        ctx.parallel_ranges(dy.features(), detail::lines_per_task(dy.batch()), [&](Size begin, Size end) {
            kernels::row_sums<Isa>(detail::lines_of(dy).from(0, begin), dy.batch(), end - begin, db.data() + begin,
                                   beta);
        });
    }

private:
    /// Bytes that random reads should stay within: half of a second-level cache of 1 MiB. Random
    /// updates move each line twice and pay to stay within half of that.
    static constexpr Size near_reads = 1 << 19;
    static constexpr Size near_updates = 1 << 18;
    /// Tasks the rows of a forward tile are cut into at the most, for threads to take as they come.
    static constexpr Size most_tasks = 64;

    /// Samples of a full tile.
    template <class T>
    static constexpr Size full = kernels::tile_samples<T>;

    static Size smaller(Size a, Size b) { return a < b ? a : b; }

    /// How many ranges of columns keep `column_bytes` bytes for each column within `bytes`.
    static Size ranges_within(const HostPlan& plan, Size bytes, Size column_bytes) {
        const Size wanted = plan.topology().in_features() * column_bytes / bytes + 1;
        return smaller(wanted, plan.cuts().ranges());
    }

    /// Runs body(tile, begin, end) over the rows, for each of `tiles` tiles, in tasks of about equal
    /// non-zeros.
    template <class Body>
    static void for_rows(HostContext& ctx, const Topology& topology, Size tiles, Size width, const Body& body) {
        const Size* offsets = topology.row_offsets().data();
        const Size rows = topology.out_features();
        const Size tasks = kernels::tasks_for(topology.nnz(), rows, width, most_tasks);
        const auto before = [&](Size row) { return offsets[row]; };
        ctx.parallel_for(tiles * tasks, [&](Size task) {
            body(task / tasks, kernels::segment_of_task(before, rows, task % tasks, tasks),
                 kernels::segment_of_task(before, rows, task % tasks + 1, tasks));
        });
    }

    /// Several samples: all tiles at once if the x of one stays near, and otherwise one after the
    /// other, a range of columns at a time, with y as the running sum.
    template <class T, class Column>
    static void forward_tiles(HostContext& ctx, const HostPlan& plan, const kernels::ForwardOperands<T, Column>& op,
                              const detail::Tiles<T>& x, Size batch) {
        const auto rows_of_tile = [&](kernels::ForwardOperands<T, Column> tile, Size sample, Size begin, Size end) {
            tile.samples = smaller(batch - sample, full<T>);
            const Size width = kernels::tile_width<T>(tile.samples);
            tile.x = x.at(sample);
            tile.x_stride = x.feature_stride(width);
            tile.y = op.y.from(sample, 0);
            kernels::with_tile_width<T>(
                width, [&]<int Width>() { kernels::row_segmented_tile<Isa, Width>(tile, begin, end); });
        };
        const Size tiles = (batch + full<T> - 1) / full<T>;
        const Size passes = ranges_within(plan, near_reads, full<T> * static_cast<Size>(sizeof(T)));
        if (passes == 1) {
            for_rows(ctx, plan.topology(), tiles, smaller(batch, full<T>),
                     [&](Size tile, Size begin, Size end) { rows_of_tile(op, tile * full<T>, begin, end); });
            return;
        }
        const Size ranges = plan.cuts().ranges();
        for (Size sample = 0; sample < batch; sample += full<T>) {
            for (Size pass = 0; pass < passes; ++pass) {
                auto part = op;
                part.segments =
                    plan.cuts().segments(plan.topology(), ranges * pass / passes, ranges * (pass + 1) / passes);
                part.first = pass == 0;
                part.rectify = op.rectify && pass + 1 == passes;
                for_rows(ctx, plan.topology(), 1, full<T> / passes + 1,
                         [&](Size, Size begin, Size end) { rows_of_tile(part, sample, begin, end); });
            }
        }
    }

    static void require_training(const HostPlan& plan) {
        require<UnsupportedError>(plan.use() == PlanUse::training, "Host::backward",
                                  "the plan was made for inference only");
    }

    /// dw: tile after tile, each thread for its own rows.
    template <class T>
    static void walk_rows(HostContext& ctx, const HostPlan& plan, MatrixView<const T> x, const detail::Tiles<T>& dy,
                          Size batch, std::span<T> dw, T beta) {
        const detail::Tiles<T> in = detail::tiles<Isa>(ctx, detail::HostSlot::x, x, true);
        plan.with_columns([&]<class Column>(const Column* columns) {
            kernels::BackwardOperands<T, Column> op{
                .segments = plan.all_segments(), .columns = columns, .dw = dw.data(), .beta = beta};
            for (Size sample = 0; sample < batch; sample += full<T>) {
                const Size width = kernels::tile_width<T>(batch - sample);
                op.x = in.at(sample);
                op.dy = dy.at(sample);
                op.dy_stride = dy.feature_stride(width);
                kernels::with_tile_width<T>(width, [&]<int Width>() {
                    for_rows(ctx, plan.topology(), 1, Width,
                             [&](Size, Size begin, Size end) { walk<Width, false, true>(op, begin, end); });
                });
                op.beta = T{1};  // later tiles add to the first
            }
        });
        if (batch == 0) {  // no tile applies beta
            for (T& gradient : dw) {
                gradient = beta == 0 ? T{0} : beta * gradient;
            }
        }
    }

    /// dx, and dw on the way if it is wanted: each task walks all rows for its own columns, tile after
    /// tile.
    template <bool WeightGradient, class T>
    static void walk_columns(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> x,
                             const detail::Tiles<T>& dy, MatrixView<T> dx, std::span<T> dw, T beta) {
        const Size batch = dx.batch();
        const Size widest = kernels::tile_width<T>(batch);
        const Size elements = plan.topology().in_features() * widest * (WeightGradient ? 2 : 1);
        T* const lines = !WeightGradient && detail::lies_in_tiles(MatrixView<const T>(dx), true)
                             ? dx.data()
                             : ctx.scratch<T>(static_cast<int>(detail::HostSlot::lines), elements).data();
        const Size tasks = walk_tasks<T>(ctx, plan, widest);
        const Size ranges = plan.cuts().ranges();
        plan.with_columns([&]<class Column>(const Column* columns) {
            ctx.parallel_for(tasks, [&](Size task) {
                const Size first = ranges * task / tasks;
                const Size last = ranges * (task + 1) / tasks;
                const Size begin = plan.cuts().first_column(first);
                const Size end = plan.cuts().first_column(last);
                kernels::BackwardOperands<T, Column> op{.segments = plan.cuts().segments(plan.topology(), first, last),
                                                        .columns = columns,
                                                        .values = values.data(),
                                                        .dw = dw.data(),
                                                        .beta = beta};
                for (Size sample = 0; sample < batch; sample += full<T>) {
                    const Size samples = smaller(batch - sample, full<T>);
                    op.dy = dy.at(sample);
                    op.dy_stride = dy.feature_stride(kernels::tile_width<T>(samples));
                    kernels::with_tile_width<T>(kernels::tile_width<T>(samples), [&]<int Width>() {
                        walk_tile<Width, WeightGradient>(op, lines, plan.topology().out_features(), samples, begin, end,
                                                         detail::lines_of(x).from(sample, begin),
                                                         detail::lines_of(dx).from(sample, begin));
                    });
                    op.beta = T{1};
                }
            });
        });
    }

    /// Columns [begin, end) and one tile: fetches x, clears dx, walks the rows, and stores dx.
    template <int Width, bool WeightGradient, class T, class Column>
    static void walk_tile(kernels::BackwardOperands<T, Column> op, T* lines, Size rows, Size samples, Size begin,
                          Size end, kernels::Lines<const T> x, kernels::Lines<T> dx) {
        constexpr Size length = kernels::line_length<Width, true, WeightGradient>;
        if constexpr (WeightGradient) {
            kernels::pack_tile<Isa>(x, samples, Width, end - begin, lines + begin * length, length);
        }
        op.x = lines;
        op.dx = lines + (WeightGradient ? Width : 0);
        T* const results = op.dx + begin * length;
        kernels::clear_tile<Isa>(results, Size{Width}, end - begin, length);
        walk<Width, true, WeightGradient>(op, 0, rows);
        if (results != dx.data) {
            kernels::unpack_tile<Isa>(results, length, samples, end - begin, dx);
        }
    }

    template <int Width, bool InputGradient, bool WeightGradient, class T, class Column>
    static void walk(const kernels::BackwardOperands<T, Column>& op, Size begin, Size end) {
        if constexpr (Width == 1) {
            kernels::row_walk_sample<Isa, InputGradient, WeightGradient>(op, begin, end);
        } else {
            kernels::row_walk_tile<Isa, Width, InputGradient, WeightGradient>(op, begin, end);
        }
    }

    /// How many tasks share the columns for a tile of `width` samples: one a thread, or more if only
    /// then the lines of dx stay near.
    template <class T>
    static Size walk_tasks(const HostContext& ctx, const HostPlan& plan, Size width) {
        const Topology& topology = plan.topology();
        const Size threads = kernels::tasks_for(topology.nnz(), topology.in_features(), width, ctx.threads());
        const Size near = ranges_within(plan, near_updates, width * static_cast<Size>(sizeof(T)));
        return smaller((near + threads - 1) / threads * threads, plan.cuts().ranges());
    }
};

/// The host backend for the instruction set this translation unit is compiled for.
using Host = HostBackend<isa::Current>;

}  // namespace snack::inline v0
