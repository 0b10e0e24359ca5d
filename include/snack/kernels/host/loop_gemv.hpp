// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One row times a dense matrix in plain loops: what loop_gemm.hpp does for a single sample, where
// memory is the limit and the matrix must be read in the order it lies in.

#include <snack/core/matrix_view.hpp>
#include <snack/kernels/host/vector.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::kernels::host {

template <class Isa>
struct LoopGemv {
    /// c = beta c + a B with a (1, inner), B (inner, columns) and c (1, columns), each in any layout.
    /// beta == 0 overwrites c.
    template <class T>
    static void multiply(HostContext& ctx, const MatrixView<const T>& a, const MatrixView<const T>& b, T beta,
                         const MatrixView<T>& c) {
        ctx.parallel_ranges(c.features(), columns_of_task, [&](Size begin, Size end) {
            T sums[columns_of_task] = {};
            T factors[depth];
            for (Size p = 0; p < a.features(); p += depth) {
                const Size count = a.features() - p < depth ? a.features() - p : depth;
                for (Size q = 0; q < count; ++q) {
                    factors[q] = a(0, p + q);
                }
                if (b.feature_stride() == 1) {
                    add_rows(factors, count, b.data() + b.offset(p, begin), b.sample_stride(), sums, end - begin);
                } else {
                    add_dots(factors, count, b.data() + b.offset(p, begin), b.feature_stride(), sums, end - begin);
                }
            }
            for (Size j = begin; j < end; ++j) {
                c(0, j) = beta == 0 ? sums[j - begin] : beta * c(0, j) + sums[j - begin];
            }
        });
    }

private:
    static constexpr Size columns_of_task = 256;
    static constexpr Size depth = 512;  // rows of B at a time

    /// sums[j] += sum_q factors[q] b[q * stride + j]
    template <class T>
    static void add_rows(const T* factors, Size count, const T* b, Size stride, T* sums, Size columns) {
        for (Size q = 0; q < count; ++q) {
            const T* const row = b + q * stride;
            for (Size j = 0; j < columns; ++j) {
                sums[j] += factors[q] * row[j];
            }
        }
    }

    /// sums[j] += sum_q factors[q] b[j * stride + q]
    template <class T>
    static void add_dots(const T* factors, Size count, const T* b, Size stride, T* sums, Size columns) {
        constexpr int lanes = Isa::vector_bytes / static_cast<int>(sizeof(T));
        constexpr Size step = 4 * lanes;  // as many sums as hide the latency of an addition
        for (Size j = 0; j < columns; ++j) {
            const T* const column = b + j * stride;
            Vector<T, lanes> partial[4] = {};
            Size q = 0;
            for (; count - q >= step; q += step) {
                for (int i = 0; i < 4; ++i) {
                    Vector<T, lanes> factor;
                    Vector<T, lanes> element;
                    load<lanes>(factor, factors + q + i * lanes);
                    load<lanes>(element, column + q + i * lanes);
                    partial[i] += factor * element;
                }
            }
            const Vector<T, lanes> total = (partial[0] + partial[1]) + (partial[2] + partial[3]);
            T sum = sum_lanes<T, lanes>(total);
            for (; q < count; ++q) {
                sum += factors[q] * column[q];
            }
            sums[j] += sum;
        }
    }
};

}  // namespace snack::inline v0::kernels::host
