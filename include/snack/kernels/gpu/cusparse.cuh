// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// cuSPARSE's handle and descriptors as owners: one handle for each context; a sparse matrix as CSR or COO; a
// dense one or a vector over activations.

#include <type_traits>
#include <utility>

#include <cusparse.h>

#include <snack/core/matrix_view.hpp>
#include <snack/memory/cuda_context.cuh>

namespace snack::inline v0 {

namespace detail {

/// Throws CudaLibraryError unless the call succeeded.
inline void require_cusparse(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) [[unlikely]] {
        fail_library("CuSparse", call, status, cusparseGetErrorString(status));
    }
}

}  // namespace detail

namespace kernels::gpu {

/// The cuSPARSE handle of a context, made by CudaContext::handle.
class CusparseHandle {
public:
    explicit CusparseHandle(CudaContext& ctx) {
        detail::require_cusparse(cusparseCreate(&handle_), "cusparseCreate");
        const cusparseStatus_t status = cusparseSetStream(handle_, ctx.stream());
        if (status != CUSPARSE_STATUS_SUCCESS) {
            cusparseDestroy(handle_);
            detail::require_cusparse(status, "cusparseSetStream");
        }
    }
    CusparseHandle(const CusparseHandle&) = delete;
    CusparseHandle& operator=(const CusparseHandle&) = delete;
    ~CusparseHandle() { cusparseDestroy(handle_); }

    cusparseHandle_t get() const { return handle_; }

private:
    cusparseHandle_t handle_ = nullptr;
};

template <class T>
constexpr cudaDataType cusparse_type() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "cuSPARSE takes float and double here");
    return std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
}

/// Owns a descriptor that Destroy ends.
template <class Descriptor, auto Destroy>
class CusparseDescriptor {
public:
    CusparseDescriptor() = default;
    CusparseDescriptor(CusparseDescriptor&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, Descriptor())) {}
    CusparseDescriptor& operator=(CusparseDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~CusparseDescriptor() {
        if (descriptor_ != nullptr) {
            Destroy(descriptor_);
        }
    }

    Descriptor get() const { return descriptor_; }
    Descriptor* receive() { return &descriptor_; }

private:
    Descriptor descriptor_ = nullptr;
};

using SparseDescriptor = CusparseDescriptor<cusparseSpMatDescr_t, &cusparseDestroySpMat>;
using DenseDescriptor = CusparseDescriptor<cusparseDnMatDescr_t, &cusparseDestroyDnMat>;
using VectorDescriptor = CusparseDescriptor<cusparseDnVecDescr_t, &cusparseDestroyDnVec>;

/// Activations as the (features, batch) matrix that W is multiplied by. The library takes inputs through
/// descriptors of its own for const data in some calls only, so constness ends here.
template <class T>
DenseDescriptor features_by_batch(const MatrixView<T, CudaSpace>& view) {
    using Element = std::remove_const_t<T>;
    DenseDescriptor dense;
    detail::require_cusparse(
        cusparseCreateDnMat(dense.receive(), view.features(), view.batch(), view.stride(),
                            const_cast<Element*>(view.data()), cusparse_type<Element>(),
                            view.layout() == Layout::row_major ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW),
        "cusparseCreateDnMat");
    return dense;
}

/// One sample whose features lie side by side.
template <class T>
VectorDescriptor features_of_sample(const MatrixView<T, CudaSpace>& view) {
    using Element = std::remove_const_t<T>;
    VectorDescriptor vector;
    detail::require_cusparse(cusparseCreateDnVec(vector.receive(), view.features(), const_cast<Element*>(view.data()),
                                                 cusparse_type<Element>()),
                             "cusparseCreateDnVec");
    return vector;
}

}  // namespace kernels::gpu

}  // namespace snack::inline v0
