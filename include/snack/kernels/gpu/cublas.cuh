// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// cuBLAS as the dense baselines use it: one handle for each context, and C = beta C + A B over matrices in
// any layout.

#include <type_traits>

#include <cublas_v2.h>

#include <snack/kernels/gpu/activations.hpp>
#include <snack/memory/cuda_context.cuh>

namespace snack::inline v0 {

namespace detail {

/// Throws CudaLibraryError unless the call succeeded.
inline void require_cublas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]] {
        fail_library("CublasGemm", call, status, cublasGetStatusString(status));
    }
}

}  // namespace detail

namespace kernels::gpu {

/// The cuBLAS handle of a context, made by CudaContext::handle. Its workspace comes from the context's
/// allocator, so that products can be captured in a graph and nothing is allocated behind its back.
class CublasHandle {
public:
    explicit CublasHandle(CudaContext& ctx) : workspace_(ctx.allocate<unsigned char>(workspace_bytes)) {
        detail::require_cublas(cublasCreate(&handle_), "cublasCreate");
        const cublasStatus_t on_stream = cublasSetStream(handle_, ctx.stream());
        const cublasStatus_t has_space = cublasSetWorkspace(handle_, workspace_.data(), workspace_bytes);
        if (on_stream != CUBLAS_STATUS_SUCCESS || has_space != CUBLAS_STATUS_SUCCESS) {
            cublasDestroy(handle_);
            detail::require_cublas(on_stream, "cublasSetStream");
            detail::require_cublas(has_space, "cublasSetWorkspace");
        }
    }
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;
    ~CublasHandle() { cublasDestroy(handle_); }

    cublasHandle_t get() const { return handle_; }

private:
    static constexpr Size workspace_bytes = Size{32} << 20;  // what NVIDIA recommends for sm_90

    DeviceBuffer<unsigned char> workspace_;
    cublasHandle_t handle_ = nullptr;
};

/// How the products of a matrix product of floats are formed.
enum class Products {
    full,  ///< in fp32
    tf32,  ///< on tensor cores, from operands cut to 11 bits
};

/// The relative error of an operand in TF32: cuBLAS does not promise to round to nearest.
inline constexpr double tf32_roundoff = 0x1p-10;

/// C = beta C + A B by cublasGemmEx, or by cublas?gemv where C is one row or one column and precision is
/// full. Extents and strides are 64 bits wide. Asynchronous.
template <Products Precision>
struct CublasGemm {
    using context_type = CudaContext;
    static constexpr Determinism determinism = Determinism::run_to_run;

    /// Makes what the first product of a context needs, so that later ones cannot fail for lack of it.
    static void prepare(CudaContext& ctx) { ctx.handle<CublasHandle>(); }

    /// A (rows, inner), B (inner, columns) and C (rows, columns), each in any layout: `batch` counts a
    /// view's rows and `features` its columns here. beta == 0 overwrites C.
    /// @throws CudaLibraryError
    template <class T>
    static void multiply(CudaContext& ctx, MatrixView<const T, CudaSpace> a, MatrixView<const T, CudaSpace> b, T beta,
                         MatrixView<T, CudaSpace> c) {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "cuBLAS takes float and double here");
        if (c.empty()) {
            return;
        }
        if (a.features() == 0) {
            ctx.for_each_index(c.batch() * c.features(), ScaleElement<T>(c, beta));
            return;
        }
        const DeviceGuard guard(ctx.device(), "CublasGemm");
        const cublasHandle_t handle = ctx.handle<CublasHandle>().get();
        constexpr bool on_vectors = Precision == Products::full || std::is_same_v<T, double>;
        if (on_vectors && c.features() == 1) {
            multiply_column<T>(handle, a, b, beta, c);
        } else if (on_vectors && c.batch() == 1) {
            multiply_column<T>(handle, transposed(b), transposed(a), beta, transposed(c));
        } else if (c.layout() == Layout::row_major) {  // cuBLAS thinks in column_major: C' = B' A'
            multiply_matrix<T>(handle, transposed(b), transposed(a), beta, transposed(c));
        } else {
            multiply_matrix<T>(handle, a, b, beta, c);
        }
    }

private:
    template <class T>
    static cublasOperation_t operation(const MatrixView<const T, CudaSpace>& view) {
        return view.layout() == Layout::column_major ? CUBLAS_OP_N : CUBLAS_OP_T;
    }

    /// C is column_major.
    template <class T>
    static void multiply_matrix(cublasHandle_t handle, const MatrixView<const T, CudaSpace>& a,
                                const MatrixView<const T, CudaSpace>& b, T beta, const MatrixView<T, CudaSpace>& c) {
        constexpr bool single = std::is_same_v<T, float>;
        constexpr cudaDataType type = single ? CUDA_R_32F : CUDA_R_64F;
        constexpr cublasComputeType_t of_floats =
            Precision == Products::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
        constexpr cublasComputeType_t compute = single ? of_floats : CUBLAS_COMPUTE_64F;
        const T alpha = 1;
        detail::require_cublas(
            cublasGemmEx_64(handle, operation<T>(a), operation<T>(b), c.batch(), c.features(), a.features(), &alpha,
                            a.data(), type, a.stride(), b.data(), type, b.stride(), &beta, c.data(), type, c.stride(),
                            compute, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
    }

    /// C and B have one column.
    template <class T>
    static void multiply_column(cublasHandle_t handle, const MatrixView<const T, CudaSpace>& a,
                                const MatrixView<const T, CudaSpace>& b, T beta, const MatrixView<T, CudaSpace>& c) {
        const bool plain = a.layout() == Layout::column_major;
        const Size rows = plain ? a.batch() : a.features();  // of A as it lies, column by column
        const Size columns = plain ? a.features() : a.batch();
        const T alpha = 1;
        if constexpr (std::is_same_v<T, float>) {
            detail::require_cublas(cublasSgemv_64(handle, operation<T>(a), rows, columns, &alpha, a.data(), a.stride(),
                                                  b.data(), b.sample_stride(), &beta, c.data(), c.sample_stride()),
                                   "cublasSgemv");
        } else {
            detail::require_cublas(cublasDgemv_64(handle, operation<T>(a), rows, columns, &alpha, a.data(), a.stride(),
                                                  b.data(), b.sample_stride(), &beta, c.data(), c.sample_stride()),
                                   "cublasDgemv");
        }
    }
};

}  // namespace kernels::gpu

}  // namespace snack::inline v0
