// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// cuBLAS as the dense rows call it: its handle, and the three products of a layer for either order of W in
// memory and either layout of the activations, which cuBLAS runs at different speeds.

#include <bench/gpu/method.cuh>
#include <snack/kernels/gpu/cublas.cuh>

namespace bench::gpu {

using snack::detail::require_cublas;

/// The library's handle on the stream of a context, but with memory from the device's pool: its workspace of 32 MB
/// is left out of the accounts of the dense methods, in their favour.
class BlasHandle {
public:
    explicit BlasHandle(const CudaContext& ctx)
        : apart_({.device = ctx.device(), .stream = ctx.stream()}), handle_(apart_) {}

    cublasHandle_t get() const { return handle_.get(); }

private:
    CudaContext apart_;
    snack::kernels::gpu::CublasHandle handle_;
};

enum class Precision { fp32, tf32 };

/// Whether the elements of a row of W, or of a column, lie side by side.
enum class WeightOrder { rows, columns };

/// A matrix as cuBLAS sees one, by columns, and whether its transpose is meant.
struct BlasMatrix {
    const float* data;
    int leading;
    bool transposed;
};

/// (out_features, in_features) if `by_rows`: what cuBLAS reads by columns is the transpose.
inline BlasMatrix weights_of(const float* data, Size out_features, Size in_features, WeightOrder order) {
    const bool by_rows = order == WeightOrder::rows;
    return {data, static_cast<int>(by_rows ? in_features : out_features), by_rows};
}

/// (features, batch): one sample a column in row_major; the transpose of what lies there in column_major.
inline BlasMatrix activations_of(const ConstView& view) {
    const bool by_feature = view.layout() == Layout::column_major;
    return {view.data(), static_cast<int>(view.stride()), by_feature};
}

inline BlasMatrix operator!(const BlasMatrix& matrix) {
    return {matrix.data, matrix.leading, !matrix.transposed};
}

/// c (m, n) = a (m, k) b (k, n) + beta c. If c is the transpose of what lies there, c' = b' a' is computed.
inline void multiply(const BlasHandle& handle, Precision precision, Size m, Size n, Size k, const BlasMatrix& a,
                     const BlasMatrix& b, float beta, const BlasMatrix& c) {
    if (c.transposed) {
        multiply(handle, precision, n, m, k, !b, !a, beta, !c);
        return;
    }
    const auto operation = [](const BlasMatrix& matrix) { return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const float one = 1;
    const cublasComputeType_t compute =
        precision == Precision::fp32 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32;
    require_cublas(cublasGemmEx(handle.get(), operation(a), operation(b), static_cast<int>(m), static_cast<int>(n),
                                static_cast<int>(k), &one, a.data, CUDA_R_32F, a.leading, b.data, CUDA_R_32F, b.leading,
                                &beta, const_cast<float*>(c.data), CUDA_R_32F, c.leading, compute, CUBLAS_GEMM_DEFAULT),
                   "cublasGemmEx");
}

/// y = a x for a matrix of (rows, columns) and one sample.
inline void multiply_vector(const BlasHandle& handle, Size rows, Size columns, const BlasMatrix& a, const float* x,
                            float* y) {
    const float one = 1;
    const float zero = 0;
    const Size stored_rows = a.transposed ? columns : rows;
    const Size stored_columns = a.transposed ? rows : columns;
    require_cublas(cublasSgemv(handle.get(), a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, static_cast<int>(stored_rows),
                               static_cast<int>(stored_columns), &one, a.data, a.leading, x, 1, &zero, y, 1),
                   "cublasSgemv");
}

}  // namespace bench::gpu
