// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The forward product of the host backend: tiles of samples and tasks of rows (paper, section 3.1).
// Inputs too wide for the cache are passed over a range of columns at a time.

#include <snack/backends/host/activations.hpp>
#include <snack/backends/host/tasks.hpp>
#include <snack/kernels/host/row_segmented.hpp>

namespace snack::inline v0::detail::host {

/// Rows [begin, end) for the tile that begins with `sample`.
template <class Isa, class T, class Column>
void forward_rows(kernels::host::ForwardOperands<T, Column> op, const Tiles<const T>& x, Size batch, Size sample,
                  Size begin, Size end) {
    op.samples = smaller(batch - sample, full_tile<T>);
    const Size width = kernels::host::tile_width<T>(op.samples);
    op.x = x.at(sample);
    op.x_stride = x.feature_stride(width);
    op.y = op.y.at(sample, 0);
    const auto forward = [&]<int Width, bool Packed>() {
        if constexpr (Width == 1) {
            kernels::host::row_segmented_sample<Isa, Packed>(op, begin, end);
        } else {
            kernels::host::row_segmented_tile<Isa, Width, Packed>(op, begin, end);
        }
    };
    kernels::host::with_tile_width<T>(width, [&]<int Width>() {
        if (op.x_stride == Width) {
            forward.template operator()<Width, true>();
        } else {
            forward.template operator()<Width, false>();
        }
    });
}

/// All tiles at once if the x of one stays near, and otherwise one after the other, a range of
/// columns at a time, with y as the running sum.
template <class Isa, class T, class Column>
void forward_tiles(HostContext& ctx, const HostPlan& plan, const kernels::host::ForwardOperands<T, Column>& op,
                   const Tiles<const T>& x, Size batch) {
    const Size tiles = (batch + full_tile<T> - 1) / full_tile<T>;
    const Size widest = kernels::host::tile_width<T>(batch);
    const bool long_rows = plan.topology().nnz() / plan.topology().out_features() >= entries_of_long_row;
    const Size passes = batch == 1 ? 1
                                   : ranges_within(plan, long_rows ? near_bytes_in_parts : near_bytes,
                                                   widest * static_cast<Size>(sizeof(T)));
    if (passes == 1) {
        for_rows(ctx, plan.topology(), tiles, smaller(batch, full_tile<T>), [&](Size tile, Size begin, Size end) {
            forward_rows<Isa>(op, x, batch, tile * full_tile<T>, begin, end);
        });
        return;
    }
    for (Size sample = 0; sample < batch; sample += full_tile<T>) {
        for (Size pass = 0; pass < passes; ++pass) {
            auto part = op;
            part.segments = plan.segments(pass, passes);
            part.first = pass == 0;
            part.rectify = op.rectify && pass + 1 == passes;
            for_rows(ctx, plan.topology(), 1, full_tile<T> / passes + 1,
                     [&](Size, Size begin, Size end) { forward_rows<Isa>(part, x, batch, sample, begin, end); });
        }
    }
}

inline bool rectifies(Activation activation) {
    switch (activation) {
        case Activation::none:
            return false;
        case Activation::relu:
            return true;
    }
    return false;
}

/// y = activation(x W^T + bias)
template <class Isa, class T>
void forward(HostContext& ctx, const HostPlan& plan, std::span<const T> values, std::span<const T> bias,
             MatrixView<const T> x, MatrixView<T> y, Activation activation) {
    const Topology& topology = plan.topology();
    if (y.empty()) {
        return;
    }
    plan.with_columns([&]<class Column>(const Column* columns) {
        kernels::host::ForwardOperands<T, Column> op{.segments = plan.segments(0, 1),
                                                     .columns = columns,
                                                     .values = values.data(),
                                                     .bias = bias.empty() ? nullptr : bias.data(),
                                                     .y = lines_of(y),
                                                     .rectify = rectifies(activation)};
        if (sample_by_sample(topology, x)) {
            for_samples(ctx, topology, x.batch(), [&](Size begin, Size end) {
                for (Size sample = begin; sample < end; ++sample) {
                    auto one = op;
                    one.x = x.data() + sample * x.stride();
                    one.y = op.y.at(sample, 0);
                    kernels::host::row_segmented_sample<Isa, true>(one, 0, topology.out_features());
                }
            });
            return;
        }
        forward_tiles<Isa>(ctx, plan, op, tiles<Isa>(ctx, HostSlot::x, x, uses_of_inputs(topology)), x.batch());
    });
}

}  // namespace snack::inline v0::detail::host
