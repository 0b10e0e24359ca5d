// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The calls of cuSPARSE behind a layer: SpMV for one sample that is a vector in memory, SpMM otherwise, and
// SDDMM for the weight gradient.

#include <snack/backends/cusparse/algorithm.cuh>
#include <snack/backends/cusparse/plan.cuh>
#include <snack/kernels/gpu/activations.hpp>

namespace snack::inline v0::detail {

template <class T>
bool is_vector(const MatrixView<T, CudaSpace>& view) {
    return view.batch() == 1 && (view.feature_stride() == 1 || view.features() == 1);
}

/// out = beta out + op(W) in for one sample.
template <class T>
void cusparse_vector(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan<T>& plan, CuSparseCall call,
                     const T* values, T beta, const MatrixView<const T, CudaSpace>& in,
                     const MatrixView<T, CudaSpace>& out) {
    const cusparseHandle_t handle = ctx.handle<kernels::gpu::CusparseHandle>().get();
    const auto op =
        call == CuSparseCall::product ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
    constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
    const auto from = kernels::gpu::features_of_sample(in);
    const auto to = kernels::gpu::features_of_sample(out);
    const T one = 1;
    // A batch of 0 stands for this call; a matrix of one sample can be asked for too.
    const auto& prepared = plan.prepared(
        ctx, call, Layout::row_major, 0, values,
        [&](cusparseSpMatDescr_t matrix) {
            std::size_t bytes = 0;
            require_cusparse(cusparseSpMV_bufferSize(handle, op, &one, matrix, from.get(), &beta, to.get(), type,
                                                     choice.vector_product, &bytes),
                             "cusparseSpMV_bufferSize");
            return bytes;
        },
        [&](cusparseSpMatDescr_t matrix, void* workspace) {
            require_cusparse(cusparseSpMV_preprocess(handle, op, &one, matrix, from.get(), &beta, to.get(), type,
                                                     choice.vector_product, workspace),
                             "cusparseSpMV_preprocess");
        });
    require_cusparse(cusparseSpMV(handle, op, &one, prepared.matrix.get(), from.get(), &beta, to.get(), type,
                                  choice.vector_product, const_cast<unsigned char*>(prepared.workspace.data())),
                     "cusparseSpMV");
}

/// out = beta out + op(W) in for any batch.
template <class T>
void cusparse_matrix(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan<T>& plan, CuSparseCall call,
                     const T* values, T beta, const MatrixView<const T, CudaSpace>& in,
                     const MatrixView<T, CudaSpace>& out) {
    const cusparseHandle_t handle = ctx.handle<kernels::gpu::CusparseHandle>().get();
    const bool plain = call == CuSparseCall::product;
    const auto op = plain ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
    constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpMMAlg_t algorithm = plain ? choice.product : choice.transposed_product;
    constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
    const auto from = kernels::gpu::features_by_batch(in);
    const auto to = kernels::gpu::features_by_batch(out);
    const T one = 1;
    const auto& prepared = plan.prepared(
        ctx, call, out.layout(), out.batch(), values,
        [&](cusparseSpMatDescr_t matrix) {
            std::size_t bytes = 0;
            require_cusparse(cusparseSpMM_bufferSize(handle, op, as_it_is, &one, matrix, from.get(), &beta, to.get(),
                                                     type, algorithm, &bytes),
                             "cusparseSpMM_bufferSize");
            return bytes;
        },
        [&](cusparseSpMatDescr_t matrix, void* workspace) {
            require_cusparse(cusparseSpMM_preprocess(handle, op, as_it_is, &one, matrix, from.get(), &beta, to.get(),
                                                     type, algorithm, workspace),
                             "cusparseSpMM_preprocess");
        });
    require_cusparse(cusparseSpMM(handle, op, as_it_is, &one, prepared.matrix.get(), from.get(), &beta, to.get(), type,
                                  algorithm, const_cast<unsigned char*>(prepared.workspace.data())),
                     "cusparseSpMM");
}

/// out(b, i) = bias[i] + sum_j op(W)(i, j) in(b, j), without bias if it is null.
template <class T>
void cusparse_product(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan<T>& plan, CuSparseCall call,
                      const T* values, const T* bias, const MatrixView<const T, CudaSpace>& in,
                      const MatrixView<T, CudaSpace>& out) {
    const bool empty = plan.topology().nnz() == 0;
    if (bias != nullptr || empty) {
        ctx.for_each_index(out.batch() * out.features(), kernels::gpu::BroadcastBias<T>(out, bias));
    }
    if (out.empty() || empty) {
        return;
    }
    const DeviceGuard guard(ctx.device(), choice.name);
    const T beta = bias == nullptr ? T{0} : T{1};
    if (is_vector(in) && is_vector(out)) {
        cusparse_vector(ctx, choice, plan, call, values, beta, in, out);
    } else {
        cusparse_matrix(ctx, choice, plan, call, values, beta, in, out);
    }
}

/// dw[e] = beta dw[e] + sum_b dy(b, row e) x(b, column e)
template <class T>
void cusparse_sampled_product(CudaContext& ctx, const CuSparsePlan<T>& plan, const MatrixView<const T, CudaSpace>& x,
                              const MatrixView<const T, CudaSpace>& dy, T* dw, T beta) {
    if (plan.topology().nnz() == 0) {
        return;
    }
    const DeviceGuard guard(ctx.device(), "CuSparse");
    const cusparseHandle_t handle = ctx.handle<kernels::gpu::CusparseHandle>().get();
    constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto turned = CUSPARSE_OPERATION_TRANSPOSE;
    constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
    const auto left = kernels::gpu::features_by_batch(dy);
    const auto right = kernels::gpu::features_by_batch(x);
    const T one = 1;
    const auto& prepared = plan.prepared(
        ctx, CuSparseCall::sampled_product, x.layout(), x.batch(), dw,
        [&](cusparseSpMatDescr_t matrix) {
            std::size_t bytes = 0;
            require_cusparse(cusparseSDDMM_bufferSize(handle, as_it_is, turned, &one, left.get(), right.get(), &beta,
                                                      matrix, type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
                             "cusparseSDDMM_bufferSize");
            return bytes;
        },
        [&](cusparseSpMatDescr_t matrix, void* workspace) {
            require_cusparse(cusparseSDDMM_preprocess(handle, as_it_is, turned, &one, left.get(), right.get(), &beta,
                                                      matrix, type, CUSPARSE_SDDMM_ALG_DEFAULT, workspace),
                             "cusparseSDDMM_preprocess");
        });
    require_cusparse(cusparseSDDMM(handle, as_it_is, turned, &one, left.get(), right.get(), &beta,
                                   prepared.matrix.get(), type, CUSPARSE_SDDMM_ALG_DEFAULT,
                                   const_cast<unsigned char*>(prepared.workspace.data())),
                     "cusparseSDDMM");
}

}  // namespace snack::inline v0::detail
