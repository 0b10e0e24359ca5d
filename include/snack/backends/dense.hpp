// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's dense baseline on the host (section 4): the layer as a dense matrix product, whatever
// the sparsity. For benchmarks and for tests of equivalence; snack.hpp leaves it out, because it does
// what the library is there to avoid: it allocates out_features x in_features.

#include <algorithm>
#include <span>

#include <snack/backends/dense/plan.hpp>
#include <snack/kernels/host/gemm.hpp>
#include <snack/kernels/host/isa.hpp>

namespace snack::inline v0 {

/// Shapes, and what is overwritten or accumulated: see concepts/backend.hpp. With cells =
/// out_features * in_features, a pass is one matrix product, O(cells batch) work; to renew the weights
/// and to pick the entries of the gradient is O(nnz). Memory: W in the plan and its gradient in scratch
/// space, cells elements each; none of either for a full topology, whose values and gradients are
/// the operands of the products where they lie. Both layouts are taken as they are.
///
/// An absent entry is a zero: NaN and infinity in x or dy reach every y, dx and dw that a full matrix
/// would spread them to.
template <class Gemm>
struct DenseBackend {
    static constexpr const char* name = "Dense";
    static constexpr Determinism determinism = Gemm::determinism;
    static constexpr bool forms_dense = true;
    using context_type = HostContext;
    template <Scalar T>
    using plan = DensePlan<T>;

    /// O(cells) memory and time.
    /// @throws ArgumentError if W passes 2^63 bytes; what the allocator throws
    template <Scalar T>
    static DensePlan<T> make_plan(HostContext& ctx, const TopologyPtr& topology, PlanUse) {
        return DensePlan<T>(ctx, topology);
    }

    /// Writes the values to their cells of W.
    template <Scalar T>
    static void refresh(HostContext& ctx, DensePlan<T>& plan, std::span<const T> values) {
        if (!plan.is_full()) {
            plan.for_each_cell(ctx, [to = plan.copied_weights().data(), from = values.data()](Size entry, Size cell) {
                to[cell] = from[entry];
            });
        }
    }

    template <Scalar T>
    static void forward(HostContext& ctx, const DensePlan<T>& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y) {
        multiply_weights(ctx, plan.weights(values), bias, x, y);
    }

    template <Scalar T>
    static void input_gradient(HostContext& ctx, const DensePlan<T>& plan, std::span<const T> values,
                               MatrixView<const T> dy, MatrixView<T> dx) {
        Gemm::multiply(ctx, dy, plan.weights(values), T{0}, dx);
    }

    template <Scalar T>
    static void weight_gradient(HostContext& ctx, const DensePlan<T>& plan, MatrixView<const T> x,
                                MatrixView<const T> dy, std::span<T> dw, T beta) {
        if (plan.is_full()) {
            Gemm::multiply(ctx, transposed(dy), x, beta, plan.matrix(dw.data()));
            return;
        }
        T* const gradient = ctx.scratch<T>(static_cast<int>(detail::DenseSlot::matrix), plan.topology().cells()).data();
        Gemm::multiply(ctx, transposed(dy), x, T{0}, plan.matrix(gradient));
        gather(ctx, plan, gradient, dw, beta);
    }

    /// As the product of a row of ones and dy.
    template <Scalar T>
    static void bias_gradient(HostContext& ctx, MatrixView<const T> dy, std::span<T> db, T beta) {
        T* const ones = ctx.scratch<T>(static_cast<int>(detail::DenseSlot::ones), dy.batch()).data();
        std::fill(ones, ones + dy.batch(), T{1});
        Gemm::multiply(ctx, MatrixView<const T>(ones, 1, dy.batch()), dy, beta,
                       MatrixView<T>(db.data(), 1, dy.features()));
    }

protected:
    /// y = x W^T + bias: the bias is written first and the product added to it.
    template <class T>
    static void multiply_weights(HostContext& ctx, const MatrixView<const T>& weights, std::span<const T> bias,
                                 const MatrixView<const T>& x, const MatrixView<T>& y) {
        if (!bias.empty()) {
            const bool row_major = y.layout() == Layout::row_major;
            const Size lines = row_major ? y.batch() : y.features();
            const Size length = row_major ? y.features() : y.batch();
            ctx.parallel_ranges(lines, lines_per_task(length), [&](Size begin, Size end) {
                for (Size line = begin; line < end; ++line) {
                    T* const to = y.data() + line * y.stride();
                    if (row_major) {
                        std::copy(bias.data(), bias.data() + length, to);
                    } else {
                        std::fill(to, to + length, bias.data()[line]);
                    }
                }
            });
        }
        Gemm::multiply(ctx, x, transposed(weights), bias.empty() ? T{0} : T{1}, y);
    }

    /// dw[e] = beta dw[e] + gradient(row e, column e).
    template <class T>
    static void gather(HostContext& ctx, const DensePlan<T>& plan, const T* gradient, std::span<T> dw, T beta) {
        plan.for_each_cell(ctx, [gradient, to = dw.data(), beta](Size entry, Size cell) {
            to[entry] = beta == 0 ? gradient[cell] : beta * to[entry] + gradient[cell];
        });
    }
};

/// With OpenBLAS if SNACK_WITH_BLAS is defined, and otherwise with loops of our own, which take some
/// 1.5 times as long with wide vectors and 6 times without: compare times with OpenBLAS only.
using Dense = DenseBackend<kernels::host::Gemm<isa::Current>>;

}  // namespace snack::inline v0
