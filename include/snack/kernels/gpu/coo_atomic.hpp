// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// SNACK-COO and the sparse outer product, as the paper has them (sections 3.2 and 3.4, appendix F): a
// thread an entry. The paper's barrier before the atomics is left out: it orders nothing between blocks.

#include <snack/core/scalar.hpp>
#include <snack/kernels/gpu/activations.hpp>
#include <snack/simt/launch_shape.hpp>

namespace snack::inline v0::kernels::gpu {

/// out(b, to[e]) += values[e] * in(b, from[e]): forward with rows and columns for `to` and `from`, the
/// input gradient with them swapped. Block (i, b) has 256 entries of sample b; beyond the 65,535 blocks
/// that y can have, a block goes on to the next of its samples.
template <class T>
struct CooAtomicProduct {
    static constexpr const char* name = "CooAtomicProduct";
    static constexpr int block_threads = 256;

    Size nnz;
    Size batch;
    const Index* to;    // nnz
    const Index* from;  // nnz
    const T* values;    // nnz
    Activations<const T> in;
    Activations<T> out;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size e = thread.global_index();
        if (e >= nnz) {
            return;
        }
        for (Size sample = thread.block_y(); sample < batch; sample += thread.blocks_y()) {
            thread.atomic_add(&out(sample, to[e]), values[e] * in(sample, from[e]));
        }
    }

    simt::LaunchShape shape() const {
        return {.blocks_x = simt::blocks_for(nnz, block_threads),
                .blocks_y = batch < simt::max_blocks_y ? batch : simt::max_blocks_y};
    }
};

/// dw[e] = beta dw[e] + sum_b dy(b, rows[e]) x(b, columns[e]); beta == 0 ignores what dw holds.
template <class T>
struct CooOuterProduct {
    static constexpr const char* name = "CooOuterProduct";
    static constexpr int block_threads = 256;

    Size nnz;
    Size batch;
    const Index* rows;     // nnz
    const Index* columns;  // nnz
    Activations<const T> x;
    Activations<const T> dy;
    T* dw;  // nnz
    T beta;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size e = thread.global_index();
        if (e >= nnz) {
            return;
        }
        Accumulator<T> sum = beta == 0 ? T{0} : beta * dw[e];
        for (Size sample = 0; sample < batch; ++sample) {
            sum += dy(sample, rows[e]) * x(sample, columns[e]);
        }
        dw[e] = static_cast<T>(sum);
    }

    simt::LaunchShape shape() const { return {.blocks_x = simt::blocks_for(nnz, block_threads)}; }
};

}  // namespace snack::inline v0::kernels::gpu
