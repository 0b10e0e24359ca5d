// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The input gradient of the host backend by blocks of rows (paper, section 3.4): tasks own ranges of
// columns, and walk them tile after tile, in each block after block.

#include <cstdint>
#include <span>

#include <snack/backends/host/activations.hpp>
#include <snack/backends/host/tasks.hpp>
#include <snack/kernels/host/column_walk.hpp>
#include <snack/kernels/host/touch.hpp>

namespace snack::inline v0::detail::host {

/// Whether dx is walked by blocks: from a full tile on. Narrower ones save less than the walk costs.
template <class T>
bool takes_blocks(const HostPlan& plan, const MatrixView<T>& dx) {
    return plan.blocks().count() > 0 && dx.batch() >= full_tile<T> && !sample_by_sample(plan.topology(), dx);
}

/// A tile's lines one after the other on their own boundary: where they lie, or copied to `copy`, which has
/// features * width elements. Every task copies those of every block, 1 in as many as an average row has entries.
template <class Isa, class T>
const T* packed_lines(const T* from, Size stride, Size width, Size features, T* copy) {
    const Size bytes = width * static_cast<Size>(sizeof(T));
    const Size boundary = smaller(bytes, kernels::host::cache_line);
    if (stride == width && reinterpret_cast<std::uintptr_t>(from) % static_cast<std::uintptr_t>(boundary) == 0) {
        return from;
    }
    kernels::host::pack_tile<Isa, T>({from, 1, stride}, width, width, features, copy, width);
    return copy;
}

/// dx = dy W for one tile and the ranges [first, last) of columns; `dx` are the lines of the first, cleared.
template <class Isa, class T>
void walk_blocks_of_tile(const HostPlan& plan, const T* values, const T* dy, Size dy_stride, Size width, T* dx,
                         Size dx_stride, Size first, Size last) {
    const ColumnBlocks& blocks = plan.blocks();
    const ColumnCuts& cuts = plan.cuts();
    const Size begin = cuts.first_column(first);
    const Size* const offsets = plan.topology().row_offsets().data();
    // The lines of dy of a tall W have left the second-level cache: read in order, they come sooner than by column.
    constexpr Size second_level = 1 << 20;
    const bool far = plan.topology().out_features() * width * static_cast<Size>(sizeof(T)) > second_level;
    alignas(kernels::host::cache_line) T copy[kernels::host::most_rows_of_block * full_tile<T>];
    for (Size number = 0; number < blocks.count(); ++number) {
        const Size row = blocks.first_row(number);
        const Size stop = blocks.first_row(number + 1);
        const Size entry = offsets[row];
        const Size entries = offsets[stop] - entry;
        // Each task does its share: where the lines are in any core's cache, they are not far.
        const Size touched = entries * first / cuts.ranges();
        kernels::host::touch(values + entry + touched, entries * last / cuts.ranges() - touched);
        const T* const lines = packed_lines<Isa>(dy + row * dy_stride, dy_stride, width, stop - row, copy);
        if (far && lines != copy) {
            kernels::host::touch(lines, (stop - row) * width);
        }
        kernels::host::with_tile_width<T>(width, [&]<int Width>() {
            for (Size range = first; range < last; ++range) {
                kernels::host::column_walk<Isa, Width, T>(
                    {values + entry, lines, dx + (cuts.first_column(range) - begin) * dx_stride, dx_stride},
                    blocks.block(number, range));
            }
        });
    }
}

/// dx = dy W, with a task's lines of dx in scratch space where they do not lie well. The terms of a sum are
/// those of walk_columns, in the same order; a compiler may contract them otherwise.
template <class Isa, class T>
void walk_blocks(HostContext& ctx, const HostPlan& plan, std::span<const T> values, const Tiles<const T>& from,
                 MatrixView<T> dx) {
    const Topology& topology = plan.topology();
    const Size batch = dx.batch();
    const Size widest = kernels::host::tile_width<T>(batch);
    const bool in_place = lies_in_tiles(dx, uses_of_inputs(topology));
    T* const scratch =
        in_place ? nullptr : ctx.scratch<T>(static_cast<int>(HostSlot::lines), topology.in_features() * widest).data();
    const ColumnCuts& cuts = plan.cuts();
    const Size tasks =
        smaller(kernels::host::tasks_for(topology.nnz(), topology.in_features(), widest, ctx.threads()), cuts.ranges());
    ctx.parallel_for(tasks, [&](Size task) {
        const Size first = cuts.ranges() * task / tasks;
        const Size last = cuts.ranges() * (task + 1) / tasks;
        const Size begin = cuts.first_column(first);
        const Size features = cuts.first_column(last) - begin;
        for (Size sample = 0; sample < batch; sample += full_tile<T>) {
            const Size samples = smaller(batch - sample, full_tile<T>);
            const Size width = kernels::host::tile_width<T>(samples);
            const auto target = lines_of(dx).at(sample, begin);
            T* const to = in_place ? target.data : scratch + begin * widest;
            const Size stride = in_place ? target.feature_stride : width;
            kernels::host::clear_tile<Isa>(to, width, features, stride);
            walk_blocks_of_tile<Isa>(plan, values.data(), from.at(sample), from.feature_stride(width), width, to,
                                     stride, first, last);
            if (!in_place) {
                kernels::host::unpack_tile<Isa>(to, stride, samples, width, features, target);
            }
        }
    });
}

}  // namespace snack::inline v0::detail::host
