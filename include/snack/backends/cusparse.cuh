// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// NVIDIA's cuSPARSE behind the backend concept: SpMV and SpMM over CSR or COO, op T for the input gradient,
// SDDMM for the weight gradient, preprocessing in the plan. snack.cuh leaves it out; link cusparse.

#include <snack/backends/cusparse/products.cuh>
#include <snack/backends/gpu/bias_gradient.hpp>

namespace snack::inline v0 {

/// Operands as concepts/backend.hpp says. The first call of a kind, layout and batch size in a context
/// prepares it; the workspaces are the plan's and are in its bytes. Asynchronous, but for that first call.
/// Gradients of an inference plan are computed as well. Errors of the library are CudaLibraryError.
///
/// The library promises the same bits for some algorithms only, and for none with op T. Its csr_1 and csr_3,
/// and csr_default in row-major layout, multiply padding: a NaN or infinity of x reaches rows without an
/// entry there (seen with cuSPARSE 12.6).
template <CuSparseAlgorithm Algorithm>
struct CuSparseBackend : BiasGradientOnGpu<CudaContext> {
    static constexpr detail::CuSparseChoice choice = detail::cusparse_choice(Algorithm);
    static constexpr const char* name = choice.name;
    static constexpr Determinism determinism = Determinism::not_guaranteed;
    using context_type = CudaContext;
    template <Scalar T>
    using plan = CuSparsePlan<T>;

    /// @throws UnsupportedError for 2^31 entries or more
    template <Scalar T>
    static CuSparsePlan<T> make_plan(CudaContext& ctx, const CudaTopologyPtr& topology, PlanUse) {
        return CuSparsePlan<T>(ctx, topology, choice.coo);
    }

    template <Scalar T>
    static void forward(CudaContext& ctx, const CuSparsePlan<T>& plan, DeviceSpan<const T> values,
                        DeviceSpan<const T> bias, MatrixView<const T, CudaSpace> x, MatrixView<T, CudaSpace> y) {
        detail::cusparse_product<T>(ctx, choice, plan, CuSparseCall::product, values.data(),
                                    bias.empty() ? nullptr : bias.data(), x, y);
    }

    template <Scalar T>
    static void input_gradient(CudaContext& ctx, const CuSparsePlan<T>& plan, DeviceSpan<const T> values,
                               MatrixView<const T, CudaSpace> dy, MatrixView<T, CudaSpace> dx) {
        detail::cusparse_product<T>(ctx, choice, plan, CuSparseCall::transposed_product, values.data(), nullptr, dy,
                                    dx);
    }

    template <Scalar T>
    static void weight_gradient(CudaContext& ctx, const CuSparsePlan<T>& plan, MatrixView<const T, CudaSpace> x,
                                MatrixView<const T, CudaSpace> dy, DeviceSpan<T> dw, T beta) {
        if (x.batch() == 0) {
            const auto nnz = static_cast<Size>(dw.size());
            ctx.for_each_index(nnz, kernels::gpu::ScaleElement<T>(MatrixView<T, CudaSpace>(dw.data(), 1, nnz), beta));
        } else {
            detail::cusparse_sampled_product<T>(ctx, plan, x, dy, dw.data(), beta);
        }
    }
};

/// With the CSR algorithm that keeps absent entries apart from zeros.
using CuSparse = CuSparseBackend<CuSparseAlgorithm::csr_2>;

}  // namespace snack::inline v0
