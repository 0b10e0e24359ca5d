// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Tensors as other libraries hand them over, with a count of how often each was freed.

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/io/dlpack_import.hpp>

namespace tests {

namespace dlpack = snack::io::dlpack;
using snack::Layout;
using snack::MatrixView;
using snack::Size;

/// What another library would hand over: 6 floats as 2 x 3, and a count of how often it was freed.
template <class M>
struct Producer {
    float data[6] = {1, 2, 3, 4, 5, 6};
    std::int64_t shape[2] = {2, 3};
    std::int64_t strides[2] = {3, 1};
    int freed = 0;
    M tensor = {};

    Producer() {
        tensor.dl_tensor.data = data;
        tensor.dl_tensor.device.device_type =
            static_cast<std::remove_reference_t<decltype(tensor.dl_tensor.device.device_type)>>(1);
        tensor.dl_tensor.device.device_id = 0;
        tensor.dl_tensor.ndim = 2;
        tensor.dl_tensor.dtype.code = 2;
        tensor.dl_tensor.dtype.bits = 32;
        tensor.dl_tensor.dtype.lanes = 1;
        tensor.dl_tensor.shape = shape;
        tensor.dl_tensor.strides = strides;
        tensor.manager_ctx = this;
        tensor.deleter = [](M* self) { ++static_cast<Producer*>(self->manager_ctx)->freed; };
        if constexpr (dlpack::Versioned<M>) {
            tensor.version.major = 1;
            tensor.version.minor = 7;
        }
    }
    Producer(const Producer&) = delete;

    dlpack::Tensor& fields() { return tensor.dl_tensor; }
};
using Versioned = Producer<dlpack::VersionedTensor>;

/// The description of a tensor whose memory is elsewhere, not looked at or freed by others.
struct Described : Versioned {
    Described(std::vector<std::int64_t> extents, std::vector<std::int64_t> steps)
        : extents_(std::move(extents)), steps_(std::move(steps)) {
        fields().ndim = static_cast<std::int32_t>(extents_.size());
        fields().shape = extents_.data();
        fields().strides = steps_.empty() ? nullptr : steps_.data();
    }

    MatrixView<const float> matrix(Layout preferred = Layout::row_major) {
        return dlpack::ImportedTensor(&tensor).matrix<const float>(preferred);
    }

private:
    std::vector<std::int64_t> extents_;
    std::vector<std::int64_t> steps_;
};

/// The structs as a header of C would have them, under names of its own.
extern "C" {
enum ForeignDeviceType : std::int32_t { foreign_cpu = 1, foreign_cuda = 2 };
struct ForeignDevice {
    ForeignDeviceType device_type;
    std::int32_t device_id;
};
struct ForeignType {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct ForeignTensor {
    void* data;
    ForeignDevice device;
    std::int32_t ndim;
    ForeignType dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};
struct ForeignManaged {
    ForeignTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(ForeignManaged*);
};
}
static_assert(sizeof(ForeignManaged) == sizeof(dlpack::ManagedTensor));

}  // namespace tests
