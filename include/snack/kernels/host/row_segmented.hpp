// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host forward product: a row of W is owned by one task, which sums it for a tile of samples held
// in registers (paper, Algorithm 1, with rows instead of atomics). Several running sums hide the
// latency of the additions; which entry goes to which sum is fixed, so results repeat.

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/load_columns.hpp>
#include <snack/kernels/host/pack.hpp>
#include <snack/kernels/host/row_segments.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels::host {

/// Operands of y = activation(W x + bias) for one tile of samples; strides count elements.
template <class T, class Column>
struct ForwardOperands {
    RowSegments segments;
    const Column* columns = nullptr;  // nnz
    const T* values = nullptr;        // nnz
    const T* bias = nullptr;          // out_features, or null
    const T* x = nullptr;             // (in_features, tile width)
    Size x_stride = 0;
    Lines<T> y;            // (samples, out_features), overwritten
    Size samples = 0;      // of the tile; at most its width
    bool first = true;     // the segments begin the rows: start from the bias, otherwise from y
    bool rectify = false;  // the segments end the rows, and negative results become 0
};

template <class T, int Lanes>
[[gnu::always_inline]] inline void rectify(Vector<T, Lanes>& v) {
    v = v < T{0} ? Vector<T, Lanes>{} : v;  // NaN stays
}

/// One row for a tile of Width samples: y[b] = activation(start + sum_e value[e] x(column[e], b)).
template <class Isa, int Width, class T, class Column>
[[gnu::always_inline]] inline void row_segmented(const ForwardOperands<T, Column>& op, Size row, T* y) {
    using Shape = TileShape<Isa, T, Width>;
    constexpr int Lanes = Shape::lanes;
    constexpr int Vectors = Shape::vectors;
    constexpr int chains = Vectors >= 4 ? 1 : 4 / Vectors;
    Vector<T, Lanes> sum[chains][Vectors] = {};
    for (int v = 0; v < Vectors; ++v) {
        if (!op.first) {
            load<Lanes>(sum[0][v], y + v * Lanes);
        } else if (op.bias != nullptr) {
            sum[0][v] += op.bias[row];
        }
    }
    const auto add = [&](Size entry, Size column, int chain) {
        const T* x = op.x + column * op.x_stride;
        for (int v = 0; v < Vectors; ++v) {
            Vector<T, Lanes> in;
            load<Lanes>(in, x + v * Lanes);
            sum[chain][v] += op.values[entry] * in;
        }
    };
    Size e = op.segments.begin(row);
    const Size stop = op.segments.end(row);
    for (; stop - e >= 4; e += 4) {
        Size columns[4];
        load_columns(columns, op.columns + e);
        for (int i = 0; i < 4; ++i) {
            add(e + i, columns[i], i % chains);
        }
    }
    for (; e < stop; ++e) {
        add(e, op.columns[e], 0);
    }
    for (int v = 0; v < Vectors; ++v) {
        for (int chain = 1; chain < chains; ++chain) {
            sum[0][v] += sum[chain][v];
        }
        if (op.rectify) {
            rectify<T, Lanes>(sum[0][v]);
        }
        store<Lanes>(sum[0][v], y + v * Lanes);
    }
}

/// Rows [begin, end) for a tile of Width samples. With Packed, x_stride is Width.
template <class Isa, int Width, bool Packed, class T, class Column>
void row_segmented_tile(const ForwardOperands<T, Column>& operands, Size begin, Size end) {
    ForwardOperands<T, Column> op = operands;  // stores cannot change a local copy
    if constexpr (Packed) {
        op.x_stride = Width;
    }
    constexpr Size block = 16;  // rows whose results are stored together: a cache line of a row-major y
    const bool in_place = op.y.sample_stride == 1 && op.samples == Width;
    T results[block * Width];
    for (Size first_row = begin; first_row < end; first_row += block) {
        const Size rows = end - first_row < block ? end - first_row : block;
        const Lines<T> y = op.y.at(0, first_row);
        T* const to = in_place ? y.data : results;
        const Size to_stride = in_place ? y.feature_stride : Width;
        if (!op.first && !in_place) {
            pack_tile<Isa>(Lines<const T>{y.data, y.sample_stride, y.feature_stride}, op.samples, Size{Width}, rows, to,
                           to_stride);
        }
        for (Size row = 0; row < rows; ++row) {
            row_segmented<Isa, Width>(op, first_row + row, to + row * to_stride);
        }
        if (!in_place) {
            unpack_tile<Isa>(to, to_stride, op.samples, Size{Width}, rows, y);
        }
    }
}

/// A single sample, for rows [begin, end): entries side by side in a register. With Packed, x_stride is 1.
template <class Isa, bool Packed, class T, class Column>
void row_segmented_sample(const ForwardOperands<T, Column>& operands, Size begin, Size end) {
    ForwardOperands<T, Column> op = operands;
    if constexpr (Packed) {
        op.x_stride = 1;
    }
    const auto x = [&](Size column) { return op.x[column * op.x_stride]; };
    const auto multiply4 = [&](Vector<T, 4>& sum, Size entry) {
        Size columns[4];
        load_columns(columns, op.columns + entry);
        const Vector<T, 4> in = {x(columns[0]), x(columns[1]), x(columns[2]), x(columns[3])};
        Vector<T, 4> w;
        load<4>(w, op.values + entry);
        sum += w * in;
    };
    for (Size row = begin; row < end; ++row) {
        Vector<T, 4> sum[4] = {};
        Size e = op.segments.begin(row);
        const Size stop = op.segments.end(row);
        for (; stop - e >= 16; e += 16) {
            for (int chain = 0; chain < 4; ++chain) {
                multiply4(sum[chain], e + 4 * chain);
            }
        }
        for (; stop - e >= 4; e += 4) {
            multiply4(sum[0], e);
        }
        T& y = op.y.data[row * op.y.feature_stride];
        T rest = !op.first ? y : (op.bias != nullptr ? op.bias[row] : T{0});
        for (; e < stop; ++e) {
            rest += op.values[e] * x(op.columns[e]);
        }
        sum[0] += sum[1];
        sum[2] += sum[3];
        sum[0] += sum[2];
        const T result = rest + sum_lanes<T, 4>(sum[0]);
        y = op.rectify && result < 0 ? T{0} : result;
    }
}

}  // namespace snack::inline v0::kernels::host
