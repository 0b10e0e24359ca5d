// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// NVIDIA's cuSPARSE behind the backend concept: SpMV and SpMM over CSR or COO, op T for the input gradient,
// SDDMM for the weight gradient, preprocessing once for each plan. snack.cuh leaves it out; link cusparse.

#include <snack/backends/cusparse/pieces.cuh>
#include <snack/backends/gpu/bias_gradient.hpp>

namespace snack::inline v0 {

/// Operands as concepts/backend.hpp says. The first call of a kind, layout and batch size in a context
/// prepares it there for this plan. Asynchronous, but for that first call. Operands of 2^31 elements or more,
/// gaps between their lines included, pass through scratch space. Gradients of an inference plan are computed
/// as well. Errors of the library are CudaLibraryError.
///
/// The library promises the same bits for some algorithms only, and for none with op T. Its csr_1 and csr_3,
/// and csr_default in row-major layout, multiply padding: a NaN or infinity of x reaches rows without an
/// entry there (seen with cuSPARSE 12.6).
template <CuSparseAlgorithm Algorithm>
struct CuSparseBackend : BiasGradientOnGpu<CudaContext> {
    static constexpr detail::CuSparseChoice choice = detail::cusparse_choice(Algorithm);
    static_assert(choice.algorithm == Algorithm);
    static constexpr const char* name = choice.name;
    static constexpr Determinism determinism = Determinism::not_guaranteed;
    using context_type = CudaContext;
    template <Scalar T>
    using plan = CuSparsePlan;

    /// @throws UnsupportedError for 2^31 entries or more
    template <Scalar T>
    static CuSparsePlan make_plan(CudaContext& ctx, const CudaTopologyPtr& topology, PlanUse) {
        return CuSparsePlan(ctx, topology, choice.coo);
    }

    template <Scalar T>
    static void forward(CudaContext& ctx, const CuSparsePlan& plan, DeviceSpan<const T> values,
                        DeviceSpan<const T> bias, MatrixView<const T, CudaSpace> x, MatrixView<T, CudaSpace> y) {
        detail::cusparse_product<T>(ctx, choice, plan, false, values.data(), bias.empty() ? nullptr : bias.data(), x,
                                    y);
    }

    template <Scalar T>
    static void input_gradient(CudaContext& ctx, const CuSparsePlan& plan, DeviceSpan<const T> values,
                               MatrixView<const T, CudaSpace> dy, MatrixView<T, CudaSpace> dx) {
        detail::cusparse_product<T>(ctx, choice, plan, true, values.data(), nullptr, dy, dx);
    }

    template <Scalar T>
    static void weight_gradient(CudaContext& ctx, const CuSparsePlan& plan, MatrixView<const T, CudaSpace> x,
                                MatrixView<const T, CudaSpace> dy, DeviceSpan<T> dw, T beta) {
        detail::cusparse_weight_gradient<T>(ctx, plan, x, dy, dw.data(), beta);
    }
};

/// With the CSR algorithm that keeps absent entries apart from zeros.
using CuSparse = CuSparseBackend<CuSparseAlgorithm::csr_2>;

}  // namespace snack::inline v0
