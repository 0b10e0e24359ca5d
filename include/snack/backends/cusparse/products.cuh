// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The calls of cuSPARSE behind a layer: SpMV for one sample that is a vector in memory, SpMM otherwise, and
// SDDMM for the weight gradient. Operands are small enough for the library's 32-bit arithmetic here. Each call
// has two steps, so that what can fail for lack of memory does so before anything is written.

#include <snack/backends/cusparse/calls.cuh>

namespace snack::inline v0::detail {

enum class Step {
    prepare,  ///< make what the call needs, and no more
    run,
};

template <class T>
bool is_vector(const MatrixView<T, CudaSpace>& view) {
    return view.batch() == 1 && (view.feature_stride() == 1 || view.features() == 1);
}

/// out = beta out + op(W) in for one sample; op is T if `transposed`.
template <class T>
void cusparse_vector(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan& plan, bool transposed,
                     const T* values, T beta, const MatrixView<const T, CudaSpace>& in,
                     const MatrixView<T, CudaSpace>& out, Step step) {
    auto& calls = ctx.handle<CuSparseCalls>();
    const auto op = transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
    const auto from = kernels::gpu::features_of_sample(in);
    const auto to = kernels::gpu::features_of_sample(out);
    const T one = 1;
    auto& prepared = calls.prepared(
        ctx, plan,
        {choice.algorithm, transposed ? CuSparseCall::transposed_vector : CuSparseCall::vector, type, Layout::row_major,
         1},
        values,
        [&](cusparseSpMatDescr_t matrix) {
            std::size_t bytes = 0;
            require_cusparse(cusparseSpMV_bufferSize(calls.handle(), op, &one, matrix, from.get(), &beta, to.get(),
                                                     type, choice.vector_product, &bytes),
                             "cusparseSpMV_bufferSize");
            return bytes;
        },
        [&](cusparseSpMatDescr_t matrix, void* workspace) {
            require_cusparse(cusparseSpMV_preprocess(calls.handle(), op, &one, matrix, from.get(), &beta, to.get(),
                                                     type, choice.vector_product, workspace),
                             "cusparseSpMV_preprocess");
        });
    if (step == Step::run) {
        require_cusparse(cusparseSpMV(calls.handle(), op, &one, prepared.matrix.get(), from.get(), &beta, to.get(),
                                      type, choice.vector_product, prepared.workspace.data()),
                         "cusparseSpMV");
    }
}

/// out = beta out + op(W) in for any batch.
template <class T>
void cusparse_matrix(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan& plan, bool transposed,
                     const T* values, T beta, const MatrixView<const T, CudaSpace>& in,
                     const MatrixView<T, CudaSpace>& out, Step step) {
    auto& calls = ctx.handle<CuSparseCalls>();
    const auto op = transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpMMAlg_t algorithm = transposed ? choice.transposed_product : choice.product;
    constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
    const auto from = kernels::gpu::features_by_batch(in);
    const auto to = kernels::gpu::features_by_batch(out);
    const T one = 1;
    auto& prepared = calls.prepared(
        ctx, plan,
        {choice.algorithm, transposed ? CuSparseCall::transposed_matrix : CuSparseCall::matrix, type, out.layout(),
         out.batch()},
        values,
        [&](cusparseSpMatDescr_t matrix) {
            std::size_t bytes = 0;
            require_cusparse(cusparseSpMM_bufferSize(calls.handle(), op, as_it_is, &one, matrix, from.get(), &beta,
                                                     to.get(), type, algorithm, &bytes),
                             "cusparseSpMM_bufferSize");
            return bytes;
        },
        [&](cusparseSpMatDescr_t matrix, void* workspace) {
            require_cusparse(cusparseSpMM_preprocess(calls.handle(), op, as_it_is, &one, matrix, from.get(), &beta,
                                                     to.get(), type, algorithm, workspace),
                             "cusparseSpMM_preprocess");
        });
    if (step == Step::run) {
        require_cusparse(cusparseSpMM(calls.handle(), op, as_it_is, &one, prepared.matrix.get(), from.get(), &beta,
                                      to.get(), type, algorithm, prepared.workspace.data()),
                         "cusparseSpMM");
    }
}

/// dw[e] = beta dw[e] + sum_b dy(b, row e) x(b, column e)
template <class T>
void cusparse_sampled(CudaContext& ctx, const CuSparsePlan& plan, const MatrixView<const T, CudaSpace>& x,
                      const MatrixView<const T, CudaSpace>& dy, T* dw, T beta, Step step) {
    auto& calls = ctx.handle<CuSparseCalls>();
    constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto turned = CUSPARSE_OPERATION_TRANSPOSE;
    constexpr cudaDataType type = kernels::gpu::cusparse_type<T>();
    const auto left = kernels::gpu::features_by_batch(dy);
    const auto right = kernels::gpu::features_by_batch(x);
    const T one = 1;
    auto& prepared = calls.prepared(
        ctx, plan, {CuSparseAlgorithm::csr_default, CuSparseCall::sampled, type, x.layout(), x.batch()}, dw,
        [&](cusparseSpMatDescr_t matrix) {
            std::size_t bytes = 0;
            require_cusparse(cusparseSDDMM_bufferSize(calls.handle(), as_it_is, turned, &one, left.get(), right.get(),
                                                      &beta, matrix, type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
                             "cusparseSDDMM_bufferSize");
            return bytes;
        },
        [&](cusparseSpMatDescr_t matrix, void* workspace) {
            require_cusparse(cusparseSDDMM_preprocess(calls.handle(), as_it_is, turned, &one, left.get(), right.get(),
                                                      &beta, matrix, type, CUSPARSE_SDDMM_ALG_DEFAULT, workspace),
                             "cusparseSDDMM_preprocess");
        });
    if (step == Step::run) {
        require_cusparse(
            cusparseSDDMM(calls.handle(), as_it_is, turned, &one, left.get(), right.get(), &beta, prepared.matrix.get(),
                          type, CUSPARSE_SDDMM_ALG_DEFAULT, prepared.workspace.data()),
            "cusparseSDDMM");
    }
}

}  // namespace snack::inline v0::detail
