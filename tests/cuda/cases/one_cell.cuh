// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The smallest layer, W = [2], with operands of one element each in memory of the device.

#include <snack/dst/cuda_rewire.cuh>
#include <snack/init/cuda_initializers.cuh>
#include <snack/nn/sparse_linear.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>

namespace tests {

template <class B, class T>
struct OneCell {
    using View = MatrixView<T, CudaSpace>;

    snack::DeviceBuffer<T> memory;  ///< x, y, dy and dx, all 1 at first
    snack::SparseLinear<B, T> layer;

    explicit OneCell(snack::CudaContext& ctx)
        : memory(ctx.allocate<T>(4)),
          layer(ctx, matrix_of<T>(pattern_of("one cell", 1, 1, [](Size, Size) { return true; }), {2})) {
        ctx.fill(memory.span(), 1);
        ctx.synchronize();
    }

    View x() { return element(0); }
    View y() { return element(1); }
    View dy() { return element(2); }
    View dx() { return element(3); }

    DeviceSpan<T> span(View view) { return {view.data(), 1}; }
    T value(snack::CudaContext& ctx, View view) { return on_host<T>(ctx, span(view))[0]; }

private:
    View element(int i) { return {memory.data() + i, 1, 1}; }
};

}  // namespace tests
