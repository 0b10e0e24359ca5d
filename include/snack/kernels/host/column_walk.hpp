// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host backward pass in one walk over the columns of W (paper, section 3.4): each dy row an entry
// points at is loaded once and serves both gradients. W is walked in blocks of rows, so that the
// values, gradients and dy of a block stay in cache while they are visited in column order. A
// column, with its row of dx and its entries of dw, is owned by one task: no atomics.

#include <cstdint>

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/lane_sums.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

/// The entries of a block of rows, ordered by column.
template <class Row, class Position>
struct ColumnBlock {
    const std::uint32_t* column_offsets;  // in_features + 1: entries of the block before each column
    const Row* rows;                      // by column: row within the block
    const Position* positions;            // by column: place in the block's canonical order
    Size first_row;
    Size first_entry;
    bool first_of_all;  // dx starts from zero here, and continues in later blocks
};

/// Operands of dx = W' dy and dw = (dy x') on the support of W, `features x batch`.
template <class T>
struct BackwardOperands {
    const T* values = nullptr;  // nnz, canonical order; unused without dx
    const T* x = nullptr;       // (in_features, batch); unused without dw
    Size x_stride = 0;
    const T* dy = nullptr;  // (out_features, batch)
    Size dy_stride = 0;
    T* dx = nullptr;  // (in_features, batch), overwritten; unused if not wanted
    Size dx_stride = 0;
    T* dw = nullptr;  // nnz, canonical order; unused if not wanted
    T beta = 0;       // dw = beta dw + ...
};

/// One tile of samples for columns [begin, end) of a block.
template <class Isa, int Lanes, int Vectors, bool InputGradient, bool WeightGradient, class T, class Row,
          class Position>
void column_walk_tile(const BackwardOperands<T>& op, const ColumnBlock<Row, Position>& block, Size begin, Size end,
                      Size sample, T beta) {
    const T* const values = InputGradient ? op.values + block.first_entry : nullptr;
    T* const dw = WeightGradient ? op.dw + block.first_entry : nullptr;
    for (Size column = begin; column < end; ++column) {
        Size e = block.column_offsets[column];
        const Size stop = block.column_offsets[column + 1];
        Vector<T, Lanes> x[Vectors] = {};
        Vector<T, Lanes> sum[Vectors] = {};
        for (int v = 0; v < Vectors; ++v) {
            if constexpr (WeightGradient) {
                load<Lanes>(x[v], op.x + column * op.x_stride + sample + v * Lanes);
            }
            if (InputGradient && !block.first_of_all) {
                load<Lanes>(sum[v], op.dx + column * op.dx_stride + sample + v * Lanes);
            }
        }
        const auto visit = [&](Size entry, Vector<T, Lanes>& product) {
            const T* const line = op.dy + (block.first_row + block.rows[entry]) * op.dy_stride + sample;
            const T value = InputGradient ? values[block.positions[entry]] : T{0};
            product = Vector<T, Lanes>{};
            for (int v = 0; v < Vectors; ++v) {
                Vector<T, Lanes> in;
                load<Lanes>(in, line + v * Lanes);
                if constexpr (InputGradient) {
                    sum[v] += value * in;
                }
                if constexpr (WeightGradient) {
                    product += x[v] * in;
                }
            }
        };
        const auto write = [&](Size entry, T gradient) {
            T& to = dw[block.positions[entry]];
            to = beta == 0 ? gradient : beta * to + gradient;
        };
        if constexpr (Lanes >= 4) {
            for (; stop - e >= 4; e += 4) {
                Vector<T, Lanes> product[4];
                for (int i = 0; i < 4; ++i) {
                    visit(e + i, product[i]);
                }
                if constexpr (WeightGradient) {
                    T gradient[4];
                    sum_lanes4<Lanes, T>(gradient, product);
                    for (int i = 0; i < 4; ++i) {
                        write(e + i, gradient[i]);
                    }
                }
            }
        }
        for (; e < stop; ++e) {
            Vector<T, Lanes> product;
            visit(e, product);
            if constexpr (WeightGradient) {
                write(e, sum_lanes<T, Lanes>(product));
            }
        }
        if constexpr (InputGradient) {
            for (int v = 0; v < Vectors; ++v) {
                store<Lanes>(sum[v], op.dx + column * op.dx_stride + sample + v * Lanes);
            }
        }
    }
}

}  // namespace snack::inline v0::kernels
