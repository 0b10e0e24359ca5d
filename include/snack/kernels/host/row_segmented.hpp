// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Host forward product: a row of W is owned by one task, which sums it for a tile of samples held
// in registers (paper, Algorithm 1, with rows instead of atomics). Several running sums hide the
// latency of the additions; which entry goes to which sum is fixed, so results repeat.

#include <cstdint>
#include <cstring>

#include <snack/core/scalar.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

/// Operands of y = W x + bias on `features x batch` activations; strides count elements.
template <class T, class Column>
struct ForwardOperands {
    const Size* row_offsets = nullptr;  // out_features + 1
    const Column* columns = nullptr;    // nnz
    const T* values = nullptr;          // nnz
    const T* bias = nullptr;            // out_features, or null
    const T* x = nullptr;               // (in_features, batch)
    Size x_stride = 0;
    T* y = nullptr;  // (out_features, batch), overwritten
    Size y_stride = 0;
    Size* cursors = nullptr;  // out_features: where each row stopped; null if one panel covers all columns
    Size panel_end = 0;       // columns below it are summed in this pass
    bool first_pass = true;   // starts from the bias, later ones from y
};

/// One tile of Vectors * Lanes samples from `sample` on, for rows [begin, end). With Panels, the
/// entries from each row's cursor up to panel_end; `advance` moves the cursors past them.
template <class Isa, int Lanes, int Vectors, bool Panels, class T, class Column>
void row_segmented_tile(const ForwardOperands<T, Column>& op, Size begin, Size end, Size sample, bool advance) {
    constexpr int chains = Vectors >= 4 ? 1 : 4 / Vectors;
    for (Size row = begin; row < end; ++row) {
        T* const y = op.y + row * op.y_stride + sample;
        Vector<T, Lanes> sum[chains][Vectors] = {};
        for (int v = 0; v < Vectors; ++v) {
            if (Panels && !op.first_pass) {
                load<Lanes>(sum[0][v], y + v * Lanes);
            } else {
                sum[0][v] += op.bias != nullptr ? op.bias[row] : T{0};
            }
        }
        const auto add = [&](Size entry, int chain) {
            const T* x = op.x + op.columns[entry] * op.x_stride + sample;
            for (int v = 0; v < Vectors; ++v) {
                Vector<T, Lanes> in;
                load<Lanes>(in, x + v * Lanes);
                sum[chain][v] += op.values[entry] * in;
            }
        };
        const auto in_panel = [&](Size entry) { return !Panels || Size{op.columns[entry]} < op.panel_end; };
        Size e = Panels && !op.first_pass ? op.cursors[row] : op.row_offsets[row];
        const Size stop = op.row_offsets[row + 1];
        for (; stop - e >= chains && in_panel(e + chains - 1); e += chains) {
            for (int chain = 0; chain < chains; ++chain) {
                add(e + chain, chain);
            }
        }
        for (; e < stop && in_panel(e); ++e) {
            add(e, 0);
        }
        if (Panels && advance) {
            op.cursors[row] = e;
        }
        for (int v = 0; v < Vectors; ++v) {
            for (int chain = 1; chain < chains; ++chain) {
                sum[0][v] += sum[chain][v];
            }
            store<Lanes>(sum[0][v], y + v * Lanes);
        }
    }
}

/// Products of four entries with a contiguous x, side by side.
template <class T, class Column>
[[gnu::always_inline]] inline void multiply4(Vector<T, 4>& sum, const T* values, const T* x, const Column* columns) {
    Vector<T, 4> in;
    if constexpr (sizeof(Column) == 2 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        std::uint64_t four;  // one load instead of four: loads are what this loop is short of
        std::memcpy(&four, columns, sizeof four);
        in = Vector<T, 4>{x[four & 0xffffu], x[four >> 16 & 0xffffu], x[four >> 32 & 0xffffu], x[four >> 48]};
    } else {
        in = Vector<T, 4>{x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]};
    }
    Vector<T, 4> w;
    load<4>(w, values);
    sum += w * in;
}

/// A single sample with x contiguous, for rows [begin, end).
template <class Isa, class T, class Column>
void row_segmented_sample(const ForwardOperands<T, Column>& op, Size begin, Size end) {
    for (Size row = begin; row < end; ++row) {
        Vector<T, 4> sum[4] = {};
        Size e = op.row_offsets[row];
        const Size stop = op.row_offsets[row + 1];
        for (; stop - e >= 16; e += 16) {
            for (int chain = 0; chain < 4; ++chain) {
                multiply4(sum[chain], op.values + e + 4 * chain, op.x, op.columns + e + 4 * chain);
            }
        }
        for (; stop - e >= 4; e += 4) {
            multiply4(sum[0], op.values + e, op.x, op.columns + e);
        }
        T rest = op.bias != nullptr ? op.bias[row] : T{0};
        for (; e < stop; ++e) {
            rest += op.values[e] * op.x[op.columns[e]];
        }
        sum[0] += sum[1];
        sum[2] += sum[3];
        sum[0] += sum[2];
        op.y[row * op.y_stride] = rest + sum_lanes<T, 4>(sum[0]);
    }
}

}  // namespace snack::inline v0::kernels
