// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host backward pass: a walk over the entries in their own order gives either gradient, or both at
// once (paper, section 3.4). A task owns its entries of dw by rows, or its lines of dx by columns: no
// atomics, and every sum runs over ascending rows however they are shared out. Values, columns and
// gradients stream; only x and dx are accessed at random.

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/lane_sums.hpp>
#include <snack/kernels/host/row_segmented.hpp>
#include <snack/kernels/host/row_segments.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

/// Operands of dx = W' dy and dw = beta dw + (dy x') on the support of W, for one tile of samples.
template <class T, class Column>
struct BackwardOperands {
    RowSegments segments;
    const Column* columns = nullptr;  // nnz
    const T* values = nullptr;        // nnz; unused without dx
    const T* dy = nullptr;            // (out_features, tile width)
    Size dy_stride = 0;
    const T* x = nullptr;  // (in_features, tile width); unused without dw
    Size x_stride = 0;
    T* dx = nullptr;  // (in_features, tile width), added to; unused if not wanted
    Size dx_stride = 0;
    T* dw = nullptr;  // nnz; unused if not wanted
    T beta = 0;
};

template <int Lanes, class T>
[[gnu::always_inline]] inline void write_gradients(T* to, Vector<T, Lanes> gradients, T beta) {
    if (beta != 0) {  // otherwise NaN in dw is ignored
        Vector<T, Lanes> before;
        load<Lanes>(before, to);
        gradients += beta * before;
    }
    store<Lanes>(gradients, to);
}

/// Rows [begin, end) for a tile of Width samples. With Packed, the lines follow one another, and a
/// line of x precedes each of dx if both are used: multiplications by a stride would cost up to a fifth.
template <class Isa, int Width, bool InputGradient, bool WeightGradient, bool Packed, class T, class Column>
void row_walk_tile(const BackwardOperands<T, Column>& operands, Size begin, Size end) {
    using Shape = TileShape<Isa, T, Width>;
    constexpr int Lanes = Shape::lanes;
    constexpr int Vectors = Shape::vectors;
    constexpr Size packed_stride = InputGradient && WeightGradient ? 2 * Width : Width;
    BackwardOperands<T, Column> op = operands;  // stores cannot change a local copy
    if constexpr (Packed) {
        op.x_stride = packed_stride;
        op.dx_stride = packed_stride;
    }
    for (Size row = begin; row < end; ++row) {
        Vector<T, Lanes> dy[Vectors];
        for (int v = 0; v < Vectors; ++v) {
            load<Lanes>(dy[v], op.dy + row * op.dy_stride + v * Lanes);
        }
        const auto visit_column = [&](Size entry, Size column, Vector<T, Lanes>& product) {
            const T* const x_line = op.x + column * op.x_stride;
            T* const dx_line = op.dx + column * op.dx_stride;
            for (int v = 0; v < Vectors; ++v) {
                if constexpr (WeightGradient) {
                    Vector<T, Lanes> x;
                    load<Lanes>(x, x_line + v * Lanes);
                    if (v == 0) {
                        product = dy[v] * x;
                    } else {
                        product += dy[v] * x;
                    }
                }
                if constexpr (InputGradient) {
                    Vector<T, Lanes> dx;
                    load<Lanes>(dx, dx_line + v * Lanes);
                    dx += op.values[entry] * dy[v];
                    store<Lanes>(dx, dx_line + v * Lanes);
                }
            }
        };
        const auto visit = [&](Size entry, Vector<T, Lanes>& product) {
            visit_column(entry, op.columns[entry], product);
        };
        Size e = op.segments.begin(row);
        const Size stop = op.segments.end(row);
        if constexpr (!WeightGradient) {
            for (; stop - e >= 4; e += 4) {
                Size columns[4];
                load_columns(columns, op.columns + e);
                Vector<T, Lanes> unused;
                for (int i = 0; i < 4; ++i) {
                    visit_column(e + i, columns[i], unused);
                }
            }
        }
        if constexpr (WeightGradient && Lanes > 1) {
            for (; stop - e >= Lanes; e += Lanes) {
                Vector<T, Lanes> gradients;
                sum_lanes_of_all<Lanes, T>(gradients, [&](int i, Vector<T, Lanes>& to) { visit(e + i, to); });
                write_gradients<Lanes>(op.dw + e, gradients, op.beta);
            }
        }
        if constexpr (WeightGradient && Lanes > 4) {
            for (; stop - e >= 4; e += 4) {
                Vector<T, 4> gradients;
                sum_lanes_of_four<Lanes, T>(gradients, [&](int i, Vector<T, Lanes>& to) { visit(e + i, to); });
                write_gradients<4>(op.dw + e, gradients, op.beta);
            }
        }
        for (; e < stop; ++e) {
            Vector<T, Lanes> product = {};
            visit(e, product);
            if constexpr (WeightGradient) {
                write_gradients<1>(op.dw + e, sum_lanes<T, Lanes>(product), op.beta);
            }
        }
    }
}

/// A single sample: entries side by side in a register.
template <class Isa, bool InputGradient, bool WeightGradient, bool Packed, class T, class Column>
void row_walk_sample(const BackwardOperands<T, Column>& operands, Size begin, Size end) {
    constexpr Size packed_stride = InputGradient && WeightGradient ? 2 : 1;
    BackwardOperands<T, Column> op = operands;
    if constexpr (Packed) {
        op.x_stride = packed_stride;
        op.dx_stride = packed_stride;
    }
    for (Size row = begin; row < end; ++row) {
        const T dy = op.dy[row * op.dy_stride];
        Size e = op.segments.begin(row);
        const Size stop = op.segments.end(row);
        for (; stop - e >= 4; e += 4) {
            Size columns[4];
            load_columns(columns, op.columns + e);
            if constexpr (WeightGradient) {
                const auto x = [&](int i) { return op.x[columns[i] * op.x_stride]; };
                write_gradients<4, T>(op.dw + e, dy * Vector<T, 4>{x(0), x(1), x(2), x(3)}, op.beta);
            }
            if constexpr (InputGradient) {
                const auto dx = [&](int i) -> T& { return op.dx[columns[i] * op.dx_stride]; };
                Vector<T, 4> sums = {dx(0), dx(1), dx(2), dx(3)};
                Vector<T, 4> w;
                load<4>(w, op.values + e);
                sums += w * dy;
                for (int i = 0; i < 4; ++i) {  // the columns of a row are distinct
                    dx(i) = sums[i];
                }
            }
        }
        for (; e < stop; ++e) {
            const Size column = op.columns[e];
            if constexpr (WeightGradient) {
                write_gradients<1, T>(op.dw + e, dy * op.x[column * op.x_stride], op.beta);
            }
            if constexpr (InputGradient) {
                op.dx[column * op.dx_stride] += op.values[e] * dy;
            }
        }
    }
}

}  // namespace snack::inline v0::kernels
