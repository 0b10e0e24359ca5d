// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The bias gradient on the host: sums of dy over the batch, one row at a time, in a fixed order.

#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

/// db[row] = beta db[row] + sum over samples of dy, for rows [begin, end) of dy (out_features, batch).
template <class Isa, class T>
void row_sums(const T* dy, Size dy_stride, Size batch, T* db, T beta, Size begin, Size end) {
    for (Size row = begin; row < end; ++row) {
        T sum = 0;
        for_each_batch_tile<T, Isa::vector_bytes>(0, batch, [&]<int Lanes, int Vectors>(Size sample) {
            Vector<T, Lanes> part = {};
            for (int v = 0; v < Vectors; ++v) {
                Vector<T, Lanes> in;
                load<Lanes>(in, dy + row * dy_stride + sample + v * Lanes);
                part += in;
            }
            sum += sum_lanes<T, Lanes>(part);
        });
        db[row] = beta == 0 ? sum : beta * db[row] + sum;
    }
}

}  // namespace snack::inline v0::kernels
