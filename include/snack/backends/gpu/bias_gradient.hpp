// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The bias gradient that all backends on a GPU share.

#include <snack/concepts/backend.hpp>
#include <snack/kernels/gpu/bias_gradient.hpp>

namespace snack::inline v0 {

/// Base of a backend whose context launches kernels.
template <class Context>
struct BiasGradientOnGpu {
    /// db[i] = beta db[i] + sum_b dy(b, i); the same bits in every call of one layout. Asynchronous.
    template <Scalar T>
    static void bias_gradient(Context& ctx, MatrixView<const T, typename Context::space> dy,
                              SpanIn<T, typename Context::space> db, T beta) {
        const kernels::gpu::BiasOperands<T> operands{kernels::gpu::Activations<const T>(dy), dy.batch(), dy.features(),
                                                     db.data(), beta};
        if (dy.layout() == Layout::column_major) {
            const kernels::gpu::BiasGradientAcrossLanes<T> kernel{operands};
            ctx.launch(kernel, kernel.shape());
        } else {
            const kernels::gpu::BiasGradientByThread<T> kernel{operands};
            ctx.launch(kernel, kernel.shape());
        }
    }
};

}  // namespace snack::inline v0
