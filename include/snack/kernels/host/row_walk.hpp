// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host backward pass: a walk over the entries in their own order gives either gradient, or both at
// once (paper, section 3.4); full tiles of dx may be walked by columns instead (column_walk.hpp). A task owns its
// entries of dw by rows, or its lines of dx by columns: no atomics, and every sum runs over ascending rows however they
// are shared out. Values, columns and gradients stream; only x and dx are accessed at random.

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/lane_sums.hpp>
#include <snack/kernels/host/load_columns.hpp>
#include <snack/kernels/host/row_segments.hpp>
#include <snack/kernels/host/touch.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels::host {

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

/// A local copy, which stores cannot change. With Packed, lines follow one another, and a line of x
/// precedes each of dx if both are used; strides are constants then, since multiplications by a
/// stride would cost up to a fifth.
template <int Width, bool InputGradient, bool WeightGradient, bool Packed, class T, class Column>
[[gnu::always_inline]] inline BackwardOperands<T, Column> local_copy(BackwardOperands<T, Column> op) {
    if constexpr (Packed) {
        constexpr Size stride = InputGradient && WeightGradient ? 2 * Width : Width;
        op.x_stride = stride;
        op.dx_stride = stride;
    }
    return op;
}

/// to = beta to + gradients for Lanes entries; beta == 0 ignores NaN in `to`.
template <int Lanes, class T>
[[gnu::always_inline]] inline void write_gradients(T* to, const Vector<T, Lanes>& gradients, T beta) {
    if (beta == 0) {
        store<Lanes>(gradients, to);
        return;
    }
    Vector<T, Lanes> sum;
    load<Lanes>(sum, to);
    sum = beta * sum + gradients;
    store<Lanes>(sum, to);
}

/// dx(column) += value * dy, and product = dy * x(column), still a term for each lane.
template <class Isa, int Width, bool InputGradient, bool WeightGradient, class T, class Column, class V>
[[gnu::always_inline]] inline void visit_entry(const BackwardOperands<T, Column>& op, const V* dy, Size entry,
                                               Size column, V& product) {
    constexpr int Lanes = TileShape<Isa, T, Width>::lanes;
    for (int v = 0; v < TileShape<Isa, T, Width>::vectors; ++v) {
        if constexpr (WeightGradient) {
            V x;
            load<Lanes>(x, op.x + column * op.x_stride + v * Lanes);
            if (v == 0) {
                product = dy[v] * x;
            } else {
                product += dy[v] * x;
            }
        }
        if constexpr (InputGradient) {
            T* const line = op.dx + column * op.dx_stride + v * Lanes;
            V dx;
            load<Lanes>(dx, line);
            dx += op.values[entry] * dy[v];
            store<Lanes>(dx, line);
        }
    }
}

/// Entries [e, stop) of one row, without dw.
template <class Isa, int Width, class T, class Column, class V>
[[gnu::always_inline]] inline void add_input_gradients(const BackwardOperands<T, Column>& op, const V* dy, Size e,
                                                       Size stop) {
    V unused;
    for (; stop - e >= 4; e += 4) {
        Size columns[4];
        load_columns(columns, op.columns + e);
        for (int i = 0; i < 4; ++i) {
            visit_entry<Isa, Width, true, false>(op, dy, e + i, columns[i], unused);
        }
    }
    for (; e < stop; ++e) {
        visit_entry<Isa, Width, true, false>(op, dy, e, op.columns[e], unused);
    }
}

/// Entries [e, stop) of one row: as many at a time as a register has lanes, which share the work of
/// summing over the samples, then four, then one.
template <class Isa, int Width, bool InputGradient, class T, class Column, class V>
[[gnu::always_inline]] inline void write_weight_gradients(const BackwardOperands<T, Column>& op, const V* dy, Size e,
                                                          Size stop) {
    constexpr int Lanes = TileShape<Isa, T, Width>::lanes;
    constexpr Size ahead = 4 * cache_line;  // the hardware foresees stores less well than loads
    const auto visit = [&](Size entry, V& product) {
        visit_entry<Isa, Width, InputGradient, true>(op, dy, entry, op.columns[entry], product);
    };
    if constexpr (Lanes > 1) {
        for (; stop - e >= Lanes; e += Lanes) {
            if constexpr (Width == tile_samples<T>) {  // narrower ones are short of instructions instead
                prefetch_for_writing(op.dw + e, ahead);
            }
            V gradients;
            sum_lanes_of_all<Lanes, T>(gradients, [&](int i, V& to) { visit(e + i, to); });
            write_gradients<Lanes>(op.dw + e, gradients, op.beta);
        }
    }
    if constexpr (Lanes > 4) {
        for (; stop - e >= 4; e += 4) {
            Vector<T, 4> gradients;
            sum_lanes_of_four<Lanes, T>(gradients, [&](int i, V& to) { visit(e + i, to); });
            write_gradients<4>(op.dw + e, gradients, op.beta);
        }
    }
    for (; e < stop; ++e) {
        V product = {};
        visit(e, product);
        write_gradients<1, T>(op.dw + e, sum_lanes<T, Lanes>(product), op.beta);
    }
}

/// Rows [begin, end) for a tile of Width samples.
template <class Isa, int Width, bool InputGradient, bool WeightGradient, bool Packed, class T, class Column>
void row_walk_tile(const BackwardOperands<T, Column>& operands, Size begin, Size end) {
    using Shape = TileShape<Isa, T, Width>;
    const auto op = local_copy<Width, InputGradient, WeightGradient, Packed>(operands);
    for (Size row = begin; row < end; ++row) {
        Vector<T, Shape::lanes> dy[Shape::vectors];
        for (int v = 0; v < Shape::vectors; ++v) {
            load<Shape::lanes>(dy[v], op.dy + row * op.dy_stride + v * Shape::lanes);
        }
        if constexpr (WeightGradient) {
            write_weight_gradients<Isa, Width, InputGradient>(op, dy, op.segments.begin(row), op.segments.end(row));
        } else {
            add_input_gradients<Isa, Width>(op, dy, op.segments.begin(row), op.segments.end(row));
        }
    }
}

/// Rows [begin, end) for a single sample: entries side by side in a register.
template <class Isa, bool InputGradient, bool WeightGradient, bool Packed, class T, class Column>
void row_walk_sample(const BackwardOperands<T, Column>& operands, Size begin, Size end) {
    const auto op = local_copy<1, InputGradient, WeightGradient, Packed>(operands);
    const auto x = [&](Size column) { return op.x[column * op.x_stride]; };
    const auto dx = [&](Size column) -> T& { return op.dx[column * op.dx_stride]; };
    for (Size row = begin; row < end; ++row) {
        const T dy = op.dy[row * op.dy_stride];
        Size e = op.segments.begin(row);
        const Size stop = op.segments.end(row);
        for (; stop - e >= 4; e += 4) {
            Size column[4];
            load_columns(column, op.columns + e);
            if constexpr (WeightGradient) {
                const Vector<T, 4> in = {x(column[0]), x(column[1]), x(column[2]), x(column[3])};
                write_gradients<4, T>(op.dw + e, dy * in, op.beta);
            }
            if constexpr (InputGradient) {
                Vector<T, 4> sum = {dx(column[0]), dx(column[1]), dx(column[2]), dx(column[3])};
                Vector<T, 4> w;
                load<4>(w, op.values + e);
                sum += w * dy;
                for (int i = 0; i < 4; ++i) {  // the columns of a row are distinct
                    dx(column[i]) = sum[i];
                }
            }
        }
        for (; e < stop; ++e) {
            if constexpr (WeightGradient) {
                write_gradients<1, T>(op.dw + e, dy * x(op.columns[e]), op.beta);
            }
            if constexpr (InputGradient) {
                dx(op.columns[e]) += op.values[e] * dy;
            }
        }
    }
}

}  // namespace snack::inline v0::kernels::host
