// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The gradients of the host backend (paper, section 3.4): tiles of samples, and tasks that own rows of
// dw or columns of dx.

#include <snack/backends/host/activations.hpp>
#include <snack/backends/host/tasks.hpp>
#include <snack/backends/host/walk_blocks.hpp>
#include <snack/kernels/host/row_walk.hpp>

namespace snack::inline v0::detail::host {

/// Rows [begin, end) for a tile of `width` samples.
template <class Isa, bool InputGradient, bool WeightGradient, class T, class Column>
void walk_rows(const kernels::host::BackwardOperands<T, Column>& op, Size width, Size begin, Size end) {
    const auto walk = [&]<int Width, bool Packed>() {
        if constexpr (Width == 1) {
            kernels::host::row_walk_sample<Isa, InputGradient, WeightGradient, Packed>(op, begin, end);
        } else {
            kernels::host::row_walk_tile<Isa, Width, InputGradient, WeightGradient, Packed>(op, begin, end);
        }
    };
    constexpr bool both = InputGradient && WeightGradient;
    const Size stride = InputGradient ? op.dx_stride : op.x_stride;
    kernels::host::with_tile_width<T>(width, [&]<int Width>() {
        if (both || stride == Width) {
            walk.template operator()<Width, true>();
        } else if constexpr (!both) {
            walk.template operator()<Width, false>();
        }
    });
}

/// The tiles of dy, which both gradients read; none if the samples are taken one by one.
template <class Isa, class T>
Tiles<const T> output_gradients(HostContext& ctx, const HostPlan& plan, const MatrixView<const T>& dy) {
    if (sample_by_sample(plan.topology(), dy)) {
        return {};
    }
    return tiles<Isa>(ctx, HostSlot::dy, dy, read_in_order);
}

/// dw = beta dw + dy' x on the support of W: sample after sample or tile after tile, and in each the
/// tasks own their rows. `from` are the output_gradients of dy.
template <class Isa, class T>
void weight_gradient(HostContext& ctx, const HostPlan& plan, MatrixView<const T> x, MatrixView<const T> dy,
                     const Tiles<const T>& from, std::span<T> dw, T beta) {
    const Topology& topology = plan.topology();
    const Size batch = dy.batch();
    require<ShapeError>(x.layout() == dy.layout(), "Host::weight_gradient", "x and dy differ in layout");
    if (topology.nnz() == 0) {
        return;
    }
    if (batch == 0) {  // no tile applies beta
        for (T& gradient : dw) {
            gradient = beta == 0 ? T{0} : beta * gradient;
        }
        return;
    }
    plan.with_columns([&]<class Column>(const Column* columns) {
        kernels::host::BackwardOperands<T, Column> op{
            .segments = plan.segments(0, 1), .columns = columns, .dw = dw.data(), .beta = beta};
        if (sample_by_sample(topology, x)) {
            for_rows(ctx, topology, 1, batch, [&](Size, Size begin, Size end) {
                auto one = op;
                one.dy_stride = 1;
                for (Size sample = 0; sample < batch; ++sample) {
                    one.x = x.data() + sample * x.stride();
                    one.dy = dy.data() + sample * dy.stride();
                    kernels::host::row_walk_sample<Isa, false, true, true>(one, begin, end);
                    one.beta = T{1};  // later samples add to the first
                }
            });
            return;
        }
        const Tiles<const T> in = tiles<Isa>(ctx, HostSlot::x, x, uses_of_inputs(topology));
        for (Size sample = 0; sample < batch; sample += full_tile<T>) {
            const Size width = kernels::host::tile_width<T>(batch - sample);
            op.x = in.at(sample);
            op.x_stride = in.feature_stride(width);
            op.dy = from.at(sample);
            op.dy_stride = from.feature_stride(width);
            for_rows(ctx, topology, 1, width,
                     [&](Size, Size begin, Size end) { walk_rows<Isa, false, true>(op, width, begin, end); });
            op.beta = T{1};
        }
    });
}

/// How many tasks share the columns for a tile of `width` samples: one a thread, or more if only
/// then the lines of dx stay near.
template <class T>
Size column_tasks(const HostContext& ctx, const HostPlan& plan, Size width) {
    const Topology& topology = plan.topology();
    const Size threads = kernels::host::tasks_for(topology.nnz(), topology.in_features(), width, ctx.threads());
    const Size near = ranges_within(plan, near_bytes_in_parts, width * static_cast<Size>(sizeof(T)));
    return smaller((near + threads - 1) / threads * threads, plan.cuts().ranges());
}

/// One tile for the columns [begin, begin + features): fetches x if dw is wanted, clears dx, walks all
/// rows, and stores dx. Lines begin at `lines` for column 0, of x and dx in turn if dw is wanted; or they
/// are those of dx where it lies, if that is not scratch space.
template <class Isa, bool WeightGradient, class T, class Column>
void walk_tile(kernels::host::BackwardOperands<T, Column> op, Size rows, kernels::host::Lines<const T> x,
               kernels::host::Lines<T> dx, bool in_place, T* lines, Size samples, Size begin, Size features) {
    if (features == 0) {  // no entries, and perhaps no scratch space
        return;
    }
    const Size width = kernels::host::tile_width<T>(samples);
    op.dx_stride = in_place ? dx.feature_stride : width * (WeightGradient ? 2 : 1);
    op.dx = lines + (WeightGradient ? width : 0);
    if constexpr (WeightGradient) {
        op.x = lines;
        op.x_stride = op.dx_stride;
        kernels::host::pack_tile<Isa>(x.at(0, begin), samples, width, features, lines + begin * op.x_stride,
                                      op.x_stride);
    }
    T* const results = op.dx + begin * op.dx_stride;
    kernels::host::clear_tile<Isa>(results, width, features, op.dx_stride);
    walk_rows<Isa, true, WeightGradient>(op, width, 0, rows);
    if (!in_place) {
        kernels::host::unpack_tile<Isa>(results, op.dx_stride, samples, width, features, dx.at(0, begin));
    }
}

/// dx = dy W, and on the way dw = beta dw + dy' x if it is wanted: each task walks all rows for its own
/// columns, tile after tile, with its lines of dx in scratch space where they do not lie well.
template <class Isa, bool WeightGradient, class T>
void walk_columns(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> x,
                  const Tiles<const T>& from, MatrixView<T> dx, std::span<T> dw, T beta) {
    const Topology& topology = plan.topology();
    const Size batch = dx.batch();
    const bool in_place = !WeightGradient && lies_in_tiles(dx, uses_of_inputs(topology));
    const Size widest = kernels::host::tile_width<T>(batch);
    const Size column_length = in_place ? 0 : widest * (WeightGradient ? 2 : 1);  // in scratch space
    T* const scratch = ctx.scratch<T>(static_cast<int>(HostSlot::lines), topology.in_features() * column_length).data();
    const Size tasks = column_tasks<T>(ctx, plan, widest);
    plan.with_columns([&]<class Column>(const Column* columns) {
        ctx.parallel_for(tasks, [&](Size task) {
            const Size begin = plan.first_column(task, tasks);
            const Size features = plan.first_column(task + 1, tasks) - begin;
            kernels::host::BackwardOperands<T, Column> op{.segments = plan.segments(task, tasks),
                                                          .columns = columns,
                                                          .values = values.data(),
                                                          .dw = dw.data(),
                                                          .beta = beta};
            for (Size sample = 0; sample < batch; sample += full_tile<T>) {
                const Size samples = smaller(batch - sample, full_tile<T>);
                const Size width = kernels::host::tile_width<T>(samples);
                op.dy = from.at(sample);
                op.dy_stride = from.feature_stride(width);
                // Tasks may be at tiles of different width: each keeps to the space of its own columns.
                const Size length = width * (WeightGradient ? 2 : 1);
                T* const lines = in_place ? dx.data() + sample : scratch + begin * (column_length - length);
                walk_tile<Isa, WeightGradient>(op, topology.out_features(), lines_of(x).at(sample, 0),
                                               lines_of(dx).at(sample, 0), in_place, lines, samples, begin, features);
                op.beta = T{1};
            }
        });
    });
}

/// dx = dy W; `from` are the output_gradients of dy.
template <class Isa, class T>
void input_gradient(HostContext& ctx, const HostPlan& plan, std::span<const T> values, MatrixView<const T> dy,
                    const Tiles<const T>& from, MatrixView<T> dx) {
    const Topology& topology = plan.topology();
    if (dx.empty()) {
        return;
    }
    if (takes_blocks(plan, dx)) {
        walk_blocks<Isa, T>(ctx, plan, values, from, dx);
        return;
    }
    if (!sample_by_sample(topology, dx)) {
        walk_columns<Isa, false, T>(ctx, plan, values, {}, from, dx, {}, T{0});
        return;
    }
    plan.with_columns([&]<class Column>(const Column* columns) {
        for_samples(ctx, topology, dx.batch(), [&](Size begin, Size end) {
            kernels::host::BackwardOperands<T, Column> op{
                .segments = plan.segments(0, 1), .columns = columns, .values = values.data(), .dy_stride = 1};
            for (Size sample = begin; sample < end; ++sample) {
                op.dy = dy.data() + sample * dy.stride();
                op.dx = dx.data() + sample * dx.stride();
                kernels::host::clear_tile<Isa>(op.dx, topology.in_features(), 1, topology.in_features());
                kernels::host::row_walk_sample<Isa, true, false, true>(op, 0, topology.out_features());
            }
        });
    });
}

}  // namespace snack::inline v0::detail::host
