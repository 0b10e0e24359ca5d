// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host backward pass in one walk over the columns of W (paper, section 3.4): each dy row an entry
// points at is loaded once and serves both gradients. A column, with its row of dx and its
// entries of dw, is owned by one task: no atomics, and the order of every sum is fixed.

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

/// Operands of dx = W' dy and dw = (dy x') on the support of W, `features x batch`.
template <class T, class Row, class Position>
struct BackwardOperands {
    const Size* column_offsets;  // in_features + 1
    const Row* rows;             // nnz, by column
    const Position* positions;   // nnz, by column: place in canonical order
    const T* values;             // nnz, canonical order
    const T* x;                  // (in_features, batch); unused without dw
    Size x_stride;
    const T* dy;  // (out_features, batch)
    Size dy_stride;
    T* dx;  // (in_features, batch), overwritten; unused if not wanted
    Size dx_stride;
    T* dw;   // nnz, canonical order; unused if not wanted
    T beta;  // dw = beta dw + ...
};

/// One tile of samples for columns [begin, end). The first tile (sample 0) applies beta.
template <int Lanes, int Vectors, bool InputGradient, bool WeightGradient, class T, class Row, class Position>
void column_walk_tile(const BackwardOperands<T, Row, Position>& op, Size begin, Size end, Size sample) {
    const T beta = sample == 0 ? op.beta : T{1};
    for (Size column = begin; column < end; ++column) {
        Vector<T, Lanes> sum[Vectors] = {};
        Vector<T, Lanes> x[Vectors] = {};
        if constexpr (WeightGradient) {
            for (int v = 0; v < Vectors; ++v) {
                load<Lanes>(x[v], op.x + column * op.x_stride + sample + v * Lanes);
            }
        }
        for (Size e = op.column_offsets[column]; e < op.column_offsets[column + 1]; ++e) {
            const T* dy = op.dy + op.rows[e] * op.dy_stride + sample;
            const Size position = static_cast<Size>(op.positions[e]);
            Vector<T, Lanes> product = {};
            for (int v = 0; v < Vectors; ++v) {
                Vector<T, Lanes> in;
                load<Lanes>(in, dy + v * Lanes);
                if constexpr (InputGradient) {
                    sum[v] += op.values[position] * in;
                }
                if constexpr (WeightGradient) {
                    product += x[v] * in;
                }
            }
            if constexpr (WeightGradient) {
                const T gradient = sum_lanes<T, Lanes>(product);
                op.dw[position] = beta == 0 ? gradient : beta * op.dw[position] + gradient;
            }
        }
        if constexpr (InputGradient) {
            for (int v = 0; v < Vectors; ++v) {
                store<Lanes>(sum[v], op.dx + column * op.dx_stride + sample + v * Lanes);
            }
        }
    }
}

/// db[row] = beta db[row] + sum over samples of dy, for rows [begin, end) of dy (out_features, batch).
template <int VectorBytes, class T>
void row_sums(const T* dy, Size dy_stride, Size batch, T* db, T beta, Size begin, Size end) {
    for (Size row = begin; row < end; ++row) {
        T sum = 0;
        for_each_batch_tile<T, VectorBytes>(batch, [&]<int Lanes, int Vectors>(Size sample) {
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
