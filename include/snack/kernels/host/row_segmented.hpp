// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host forward product: a row of W is owned by one task, which sums it in canonical order for a
// tile of samples held in registers (paper, Algorithm 1, with rows instead of atomics).

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

/// Operands of y = W x + bias on `features x batch` activations; strides count elements.
template <class T, class Column>
struct ForwardOperands {
    const Size* row_offsets;  // out_features + 1
    const Column* columns;    // nnz
    const T* values;          // nnz
    const T* bias;            // out_features, or null
    const T* x;               // (in_features, batch)
    Size x_stride;
    T* y;  // (out_features, batch), overwritten
    Size y_stride;
};

/// One tile of Vectors * Lanes samples from `sample` on, for rows [begin, end).
template <int Lanes, int Vectors, class T, class Column>
void row_segmented_tile(const ForwardOperands<T, Column>& op, Size begin, Size end, Size sample) {
    for (Size row = begin; row < end; ++row) {
        Vector<T, Lanes> sum[Vectors];
        const T start = op.bias != nullptr ? op.bias[row] : T{0};
        for (auto& s : sum) {
            s = Vector<T, Lanes>{} + start;
        }
        for (Size e = op.row_offsets[row]; e < op.row_offsets[row + 1]; ++e) {
            const T* x = op.x + op.columns[e] * op.x_stride + sample;
            const T value = op.values[e];
            for (int v = 0; v < Vectors; ++v) {
                Vector<T, Lanes> in;
                load<Lanes>(in, x + v * Lanes);
                sum[v] += value * in;
            }
        }
        for (int v = 0; v < Vectors; ++v) {
            store<Lanes>(sum[v], op.y + row * op.y_stride + sample + v * Lanes);
        }
    }
}

/// A single sample with x contiguous: four running sums hide the latency of the additions.
template <class T, class Column>
void row_segmented_sample(const ForwardOperands<T, Column>& op, Size begin, Size end) {
    for (Size row = begin; row < end; ++row) {
        T sum[4] = {op.bias != nullptr ? op.bias[row] : T{0}, 0, 0, 0};
        Size e = op.row_offsets[row];
        const Size stop = op.row_offsets[row + 1];
        for (; stop - e >= 4; e += 4) {
            for (Size lane = 0; lane < 4; ++lane) {
                sum[lane] += op.values[e + lane] * op.x[op.columns[e + lane]];
            }
        }
        for (; e < stop; ++e) {
            sum[0] += op.values[e] * op.x[op.columns[e]];
        }
        op.y[row * op.y_stride] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

}  // namespace snack::inline v0::kernels
