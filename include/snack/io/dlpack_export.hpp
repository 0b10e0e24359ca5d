// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A view of activations or a flat array as a tensor that other libraries use where it lies, by DLPack and
// without a copy.

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <snack/core/matrix_view.hpp>
#include <snack/core/span.hpp>
#include <snack/io/dlpack_abi.hpp>
#include <snack/io/dlpack_import.hpp>

namespace snack::inline v0::io::dlpack {

namespace detail {

/// A tensor that has been handed out, and what it points to.
template <class M>
struct Loan {
    M tensor;
    std::int64_t shape[2];
    std::int64_t strides[2];
    std::shared_ptr<void> keep_alive;
};

template <class M, class T, class Space>
Handle<M> lend(T* data, int dimensions, const std::int64_t (&shape)[2], const std::int64_t (&strides)[2],
               std::shared_ptr<void> keep_alive, int device) {
    static_assert(Managed<M>, "dlpack: tensors are exported as managed ones");
    static_assert(Versioned<M> || !std::is_const_v<T>,
                  "dlpack: a tensor without a version cannot say that it is read-only");
    constexpr bool on_host = std::is_same_v<Space, HostSpace>;
    constexpr DataType type = data_type_of<std::remove_const_t<T>>();
    auto* loan = new Loan<M>{{}, {shape[0], shape[1]}, {strides[0], strides[1]}, std::move(keep_alive)};
    auto& to = loan->tensor.dl_tensor;
    using Kind = std::remove_reference_t<decltype(to.device.device_type)>;
    to.data = const_cast<std::remove_const_t<T>*>(data);
    to.device.device_type = static_cast<Kind>(on_host ? DeviceType::cpu : DeviceType::cuda);
    to.device.device_id = on_host ? 0 : device;
    to.ndim = dimensions;
    to.dtype.code = type.code;
    to.dtype.bits = type.bits;
    to.dtype.lanes = type.lanes;
    to.shape = loan->shape;
    to.strides = loan->strides;
    to.byte_offset = 0;
    loan->tensor.manager_ctx = loan;
    loan->tensor.deleter = [](M* self) { delete static_cast<Loan<M>*>(self->manager_ctx); };
    if constexpr (Versioned<M>) {
        loan->tensor.version.major = version.major;
        loan->tensor.version.minor = version.minor;
        loan->tensor.flags = std::is_const_v<T> ? read_only_flag : 0;
    }
    return Handle<M>(&loan->tensor);
}

}  // namespace detail

/// The elements of a view, which stay where they are, as a tensor (batch, features). One of const elements is
/// marked read-only.
///
/// @tparam M          VersionedTensor, ManagedTensor for libraries that know no other, or one of the original
/// @param keep_alive  whatever the memory belongs to: let go by the tensor's deleter, on whichever thread calls it
/// @param device      of the GPU that the memory is on; CudaSpace alone looks at it
/// Nothing waits for a GPU: work on the memory that was begun must end before the receiver reads it.
template <class M = VersionedTensor, class T, class Space>
Handle<M> export_matrix(const MatrixView<T, Space>& view, std::shared_ptr<void> keep_alive, int device = 0) {
    return detail::lend<M, T, Space>(view.data(), 2, {view.batch(), view.features()},
                                     {view.sample_stride(), view.feature_stride()}, std::move(keep_alive), device);
}

/// A flat array on the host, the values of a layer for one, as a tensor of one dimension; else as `export_matrix`.
template <class M = VersionedTensor, class T, std::size_t extent>
Handle<M> export_array(std::span<T, extent> elements, std::shared_ptr<void> keep_alive) {
    return detail::lend<M, T, HostSpace>(elements.data(), 1, {static_cast<Size>(elements.size()), 0}, {1, 0},
                                         std::move(keep_alive), 0);
}

/// The same of a flat array on a GPU.
template <class M = VersionedTensor, class T>
Handle<M> export_array(DeviceSpan<T> elements, std::shared_ptr<void> keep_alive, int device) {
    return detail::lend<M, T, CudaSpace>(elements.data(), 1, {static_cast<Size>(elements.size()), 0}, {1, 0},
                                         std::move(keep_alive), device);
}

}  // namespace snack::inline v0::io::dlpack
