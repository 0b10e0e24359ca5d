// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Products in which a warp owns a row, or a column for the input gradient: no atomics, and each sum in one
// order whatever the grid (paper, sections 3.1 and 3.4). Plain on purpose: the base to optimise from.

#include <snack/core/scalar.hpp>
#include <snack/kernels/gpu/activations.hpp>
#include <snack/kernels/gpu/warp_sum.hpp>

namespace snack::inline v0::kernels::gpu {

/// The entries of a matrix by segments, which are its rows, or its columns with the place of each value.
template <class T, class Position>
struct Segments {
    Size count;
    const Size* offsets;        // count + 1
    const Index* others;        // nnz: the column of an entry of a row, the row of one of a column
    const Position* positions;  // nnz: where the value of an entry lies; null if in this order
    const T* values;            // nnz

    SNACK_HOST_DEVICE T value(Size e) const {
        return values[positions == nullptr ? e : static_cast<Size>(positions[e])];
    }
};

inline constexpr int segmented_block_threads = 256;

/// A warp for each segment, and blocks in y for groups of samples, as many as a grid can have.
inline simt::LaunchShape segmented_shape(Size segments, Size groups_of_samples) {
    return {.blocks_x = simt::blocks_for(segments, segmented_block_threads / simt::warp_size),
            .blocks_y = groups_of_samples < simt::max_blocks_y ? groups_of_samples : simt::max_blocks_y};
}

template <class T, class Position>
struct ProductOperands {
    Segments<T, Position> segments;
    const T* bias;  // segments.count, or null
    Activations<const T> in;
    Activations<T> out;
    Size batch;
};

/// out(b, s) = bias[s] + sum_e value[e] in(b, other[e]) over the entries of segment s, without bias if null.
/// Lanes take the entries in turns, for a few samples at a time.
template <class T, class Position>
struct SegmentedProduct : ProductOperands<T, Position> {
    static constexpr const char* name = "SegmentedProduct";
    static constexpr int block_threads = segmented_block_threads;
    static constexpr int group = 4;  // samples for which an entry is loaded once

    using ProductOperands<T, Position>::segments;
    using ProductOperands<T, Position>::bias;
    using ProductOperands<T, Position>::in;
    using ProductOperands<T, Position>::out;
    using ProductOperands<T, Position>::batch;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size segment = thread.global_index() / simt::warp_size;
        if (segment >= segments.count) {
            return;
        }
        for (Size first = thread.block_y() * group; first < batch; first += thread.blocks_y() * group) {
            const Size samples = batch - first < group ? batch - first : group;
            Accumulator<T> sum[group] = {};
            for (Size e = segments.offsets[segment] + thread.lane(); e < segments.offsets[segment + 1];
                 e += simt::warp_size) {
                const T value = segments.value(e);
                const Index other = segments.others[e];
                for (int i = 0; i < group; ++i) {
                    if (i < samples) {
                        sum[i] += value * in(first + i, other);
                    }
                }
            }
            SNACK_UNROLL
            for (int i = 0; i < group; ++i) {
                sum[i] = warp_sum(thread, sum[i]);
                if (i < samples && thread.lane() == i) {
                    out(first + i, segment) = static_cast<T>(bias == nullptr ? sum[i] : bias[segment] + sum[i]);
                }
            }
        }
    }

    simt::LaunchShape shape() const { return segmented_shape(segments.count, simt::blocks_for(batch, group)); }
};

/// The same with a lane for each sample, which takes all entries in turn: for samples that lie side by side.
template <class T, class Position>
struct SegmentedProductBySample : ProductOperands<T, Position> {
    static constexpr const char* name = "SegmentedProductBySample";
    static constexpr int block_threads = segmented_block_threads;

    using ProductOperands<T, Position>::segments;
    using ProductOperands<T, Position>::bias;
    using ProductOperands<T, Position>::in;
    using ProductOperands<T, Position>::out;
    using ProductOperands<T, Position>::batch;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size segment = thread.global_index() / simt::warp_size;
        if (segment >= segments.count) {
            return;
        }
        const Size step = thread.blocks_y() * simt::warp_size;
        for (Size sample = thread.block_y() * simt::warp_size + thread.lane(); sample < batch; sample += step) {
            Accumulator<T> sum = bias == nullptr ? T{0} : bias[segment];
            for (Size e = segments.offsets[segment]; e < segments.offsets[segment + 1]; ++e) {
                sum += segments.value(e) * in(sample, segments.others[e]);
            }
            out(sample, segment) = static_cast<T>(sum);
        }
    }

    simt::LaunchShape shape() const {
        return segmented_shape(segments.count, simt::blocks_for(batch, simt::warp_size));
    }
};

/// dw[e] = beta dw[e] + sum_b dy(b, row) x(b, column[e]); lanes take the entries of their row in turns.
template <class T>
struct SegmentedOuterProduct {
    static constexpr const char* name = "SegmentedOuterProduct";
    static constexpr int block_threads = segmented_block_threads;

    Size rows;
    const Size* offsets;   // rows + 1
    const Index* columns;  // nnz
    Activations<const T> x;
    Activations<const T> dy;
    Size batch;
    T* dw;  // nnz
    T beta;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size row = thread.global_index() / simt::warp_size;
        if (row >= rows) {
            return;
        }
        for (Size e = offsets[row] + thread.lane(); e < offsets[row + 1]; e += simt::warp_size) {
            Accumulator<T> sum = beta == 0 ? T{0} : beta * dw[e];
            for (Size sample = 0; sample < batch; ++sample) {
                sum += dy(sample, row) * x(sample, columns[e]);
            }
            dw[e] = static_cast<T>(sum);
        }
    }

    simt::LaunchShape shape() const { return segmented_shape(rows, 1); }
};

}  // namespace snack::inline v0::kernels::gpu
