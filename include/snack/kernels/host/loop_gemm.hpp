// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A dense matrix product in plain blocked loops, for the dense baselines where there is no BLAS.
// Every element is summed by one task in ascending order of the inner index, so results do not
// depend on the number of threads. All sizes and strides are 64 bits wide.

#include <cstring>

#include <snack/core/matrix_view.hpp>
#include <snack/kernels/host/loop_gemv.hpp>
#include <snack/kernels/host/vector.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::kernels::host {

template <class Isa>
struct LoopGemm {
    using context_type = HostContext;
    static constexpr Determinism determinism = Determinism::run_to_run;

    /// Products on the host need nothing made before.
    static void prepare(HostContext&) {}

    /// C = beta C + A B with A (rows, inner), B (inner, columns) and C (rows, columns), each in any
    /// layout: `batch` counts a view's rows and `features` its columns here. beta == 0 overwrites C.
    /// Two levels of blocking: a panel of B for the first-level cache, a few rows of C for registers.
    template <class T>
    static void multiply(HostContext& ctx, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
        if (c.batch() == 1) {
            LoopGemv<Isa>::multiply(ctx, a, b, beta, c);
            return;
        }
        if (c.features() == 1 || c.feature_stride() != 1) {  // C' = B' A' is one row, or has its rows side by side
            multiply<T>(ctx, transposed(b), transposed(a), beta, transposed(c));
            return;
        }
        if (c.empty() || a.features() == 0) {
            scale(ctx, beta, c);
            return;
        }
        const Size panels = (c.features() + width<T> - 1) / width<T>;
        const Size blocks = (c.batch() + rows_of_tile - 1) / rows_of_tile;
        const Size rows = smaller(c.batch(), rows_of_tile);
        const Size tiles_of_task = grain / (rows * width<T> * (a.features() + 1)) + 1;
        ctx.parallel_ranges(blocks * panels, tiles_of_task, [&](Size begin, Size end) {
            for (Size i = begin; i < end; ++i) {
                tile(a, b, beta, c, i / panels * rows_of_tile, i % panels * width<T>);
            }
        });
    }

private:
    static constexpr Size rows_of_tile = 64;
    static constexpr Size depth = 128;      // rows of B in a panel
    static constexpr Size grain = 1 << 16;  // multiply-adds of one task

    template <class T>
    static constexpr int lanes = Isa::vector_bytes / static_cast<int>(sizeof(T));
    template <class T>
    static constexpr Size width = 2 * lanes<T>;  // columns of a panel: two registers

    static Size smaller(Size a, Size b) { return a < b ? a : b; }

    /// What is left of the product without terms.
    template <class T>
    static void scale(HostContext& ctx, T beta, const MatrixView<T>& c) {
        ctx.parallel_ranges(c.batch(), grain / (c.features() + 1) + 1, [&](Size begin, Size end) {
            for (Size row = begin; row < end; ++row) {
                for (Size column = 0; column < c.features(); ++column) {
                    c(row, column) = beta == 0 ? T{0} : beta * c(row, column);
                }
            }
        });
    }

    /// One tile of C, with the part of B it needs copied to the stack, panel by panel.
    template <class T>
    static void tile(const MatrixView<const T>& a, const MatrixView<const T>& b, T beta, const MatrixView<T>& c,
                     Size row, Size column) {
        alignas(64) T panel[depth * width<T>];
        const Size inner = a.features();
        const Size row_end = smaller(row + rows_of_tile, c.batch());
        const Size columns = smaller(width<T>, c.features() - column);
        for (Size begin = 0; begin < inner; begin += depth) {
            const Size count = smaller(depth, inner - begin);
            const T scale_of_c = begin == 0 ? beta : T{1};
            pack(b, begin, count, column, columns, panel);
            Size i = row;
            for (; row_end - i >= 4; i += 4) {
                rows<4>(a, i, begin, count, panel, scale_of_c, c, column, columns);
            }
            for (; i < row_end; ++i) {
                rows<1>(a, i, begin, count, panel, scale_of_c, c, column, columns);
            }
        }
    }

    /// to[j] = from[j], and zero beyond `columns`. A full row is copied at a width the compiler knows.
    template <class T>
    [[gnu::always_inline]] static void copy_row(const T* from, Size columns, T* to) {
        if (columns == width<T>) {
            std::memcpy(to, from, sizeof(T) * width<T>);
            return;
        }
        for (Size j = 0; j < width<T>; ++j) {
            to[j] = j < columns ? from[j] : T{0};
        }
    }

    /// panel[p * width + j] = b(begin + p, column + j), and zero beyond the last column.
    template <class T>
    static void pack(const MatrixView<const T>& b, Size begin, Size count, Size column, Size columns, T* panel) {
        const T* const from = b.data() + b.offset(begin, column);
        if (b.feature_stride() == 1) {
            for (Size p = 0; p < count; ++p) {
                copy_row(from + p * b.sample_stride(), columns, panel + p * width<T>);
            }
            return;
        }
        for (Size j = 0; j < width<T>; ++j) {
            for (Size p = 0; p < count; ++p) {
                panel[p * width<T> + j] = j < columns ? from[j * b.feature_stride() + p] : T{0};
            }
        }
    }

    /// C(row + r, column...) = scale_of_c C + A(row + r, begin...) panel, for r < Rows.
    template <int Rows, class T>
    static void rows(const MatrixView<const T>& a, Size row, Size begin, Size count, const T* panel, T scale_of_c,
                     const MatrixView<T>& c, Size column, Size columns) {
        Vector<T, lanes<T>> sums[Rows][2] = {};
        T line[width<T>];
        for (int r = 0; r < Rows && scale_of_c != 0; ++r) {
            copy_row(c.data() + c.offset(row + r, column), columns, line);
            load<lanes<T>>(sums[r][0], line);
            load<lanes<T>>(sums[r][1], line + lanes<T>);
            sums[r][0] *= scale_of_c;
            sums[r][1] *= scale_of_c;
        }
        const T* const factors = a.data() + a.offset(row, begin);
        const Size row_step = a.sample_stride();
        const Size step = a.feature_stride();
        for (Size p = 0; p < count; ++p) {
            Vector<T, lanes<T>> first;
            Vector<T, lanes<T>> second;
            load<lanes<T>>(first, panel + p * width<T>);
            load<lanes<T>>(second, panel + p * width<T> + lanes<T>);
            for (int r = 0; r < Rows; ++r) {
                const T factor = factors[r * row_step + p * step];
                sums[r][0] += factor * first;
                sums[r][1] += factor * second;
            }
        }
        for (int r = 0; r < Rows; ++r) {
            T* const to = c.data() + c.offset(row + r, column);
            store<lanes<T>>(sums[r][0], line);
            store<lanes<T>>(sums[r][1], line + lanes<T>);
            if (columns == width<T>) {
                std::memcpy(to, line, sizeof line);
            } else {
                std::memcpy(to, line, sizeof(T) * static_cast<std::size_t>(columns));
            }
        }
    }
};

}  // namespace snack::inline v0::kernels::host
