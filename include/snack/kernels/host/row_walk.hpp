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
    const T* x = nullptr;  // (in_features, line_length); unused without dw
    T* dx = nullptr;       // (in_features, line_length), added to; unused if not wanted
    T* dw = nullptr;       // nnz; unused if not wanted
    T beta = 0;
};

/// Elements from one column of x or dx to the next: with both gradients they lie side by side, so that
/// one cache line holds both at small batch.
template <int Width, bool InputGradient, bool WeightGradient>
inline constexpr Size line_length = InputGradient&& WeightGradient ? 2 * Width : Width;

template <int Lanes, class T>
[[gnu::always_inline]] inline void write_gradients(T* to, Vector<T, Lanes> gradients, T beta) {
    if (beta != 0) {  // otherwise NaN in dw is ignored
        Vector<T, Lanes> before;
        load<Lanes>(before, to);
        gradients += beta * before;
    }
    store<Lanes>(gradients, to);
}

/// Rows [begin, end) for a tile of Width samples.
template <class Isa, int Width, bool InputGradient, bool WeightGradient, class T, class Column>
void row_walk_tile(const BackwardOperands<T, Column>& operands, Size begin, Size end) {
    using Shape = TileShape<Isa, T, Width>;
    constexpr int Lanes = Shape::lanes;
    constexpr int Vectors = Shape::vectors;
    constexpr Size length = line_length<Width, InputGradient, WeightGradient>;
    const BackwardOperands<T, Column> op = operands;  // stores cannot change a local copy
    for (Size row = begin; row < end; ++row) {
        Vector<T, Lanes> dy[Vectors];
        for (int v = 0; v < Vectors; ++v) {
            load<Lanes>(dy[v], op.dy + row * op.dy_stride + v * Lanes);
        }
        const auto visit_column = [&](Size entry, Size column, Vector<T, Lanes>& product) {
            const Size line = column * length;
            for (int v = 0; v < Vectors; ++v) {
                if constexpr (WeightGradient) {
                    Vector<T, Lanes> x;
                    load<Lanes>(x, op.x + line + v * Lanes);
                    if (v == 0) {
                        product = dy[v] * x;
                    } else {
                        product += dy[v] * x;
                    }
                }
                if constexpr (InputGradient) {
                    Vector<T, Lanes> dx;
                    load<Lanes>(dx, op.dx + line + v * Lanes);
                    dx += op.values[entry] * dy[v];
                    store<Lanes>(dx, op.dx + line + v * Lanes);
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
template <class Isa, bool InputGradient, bool WeightGradient, class T, class Column>
void row_walk_sample(const BackwardOperands<T, Column>& operands, Size begin, Size end) {
    constexpr Size length = line_length<1, InputGradient, WeightGradient>;
    const BackwardOperands<T, Column> op = operands;
    for (Size row = begin; row < end; ++row) {
        const T dy = op.dy[row * op.dy_stride];
        Size e = op.segments.begin(row);
        const Size stop = op.segments.end(row);
        for (; stop - e >= 4; e += 4) {
            Size line[4];
            load_columns(line, op.columns + e);
            for (Size& at : line) {
                at *= length;
            }
            if constexpr (WeightGradient) {
                const Vector<T, 4> x = {op.x[line[0]], op.x[line[1]], op.x[line[2]], op.x[line[3]]};
                write_gradients<4, T>(op.dw + e, dy * x, op.beta);
            }
            if constexpr (InputGradient) {
                Vector<T, 4> dx = {op.dx[line[0]], op.dx[line[1]], op.dx[line[2]], op.dx[line[3]]};
                Vector<T, 4> w;
                load<4>(w, op.values + e);
                dx += w * dy;
                for (int i = 0; i < 4; ++i) {  // the columns of a row are distinct
                    op.dx[line[i]] = dx[i];
                }
            }
        }
        for (; e < stop; ++e) {
            const Size line = Size{op.columns[e]} * length;
            if constexpr (WeightGradient) {
                write_gradients<1, T>(op.dw + e, dy * op.x[line], op.beta);
            }
            if constexpr (InputGradient) {
                op.dx[line] += op.values[e] * dy;
            }
        }
    }
}

}  // namespace snack::inline v0::kernels
