// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The structs of DLPack 1.x, byte for byte, under names of our own: a program may include the original
// dlpack.h as well. What the library does with them takes those of the original in their place.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace snack::inline v0::io::dlpack {

/// Versions with another major number may have another layout; only version, context and deleter stay.
struct Version {
    std::uint32_t major;
    std::uint32_t minor;
};
inline constexpr Version version = {1, 0};

enum class DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, rocm_host = 11, cuda_managed = 13 };

struct Device {
    DeviceType device_type;
    std::int32_t device_id;
};

enum class TypeCode : std::uint8_t {
    integer = 0,
    unsigned_integer = 1,
    floating = 2,
    bfloat = 4,
    complex = 5,
    boolean = 6
};

/// `lanes` numbers of `bits` bits make one element.
struct DataType {
    std::uint8_t code;  ///< a TypeCode
    std::uint8_t bits;
    std::uint16_t lanes;
};

/// Element (i, j, ...) lies at data + byte_offset + (i strides[0] + j strides[1] + ...) elements.
struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;    ///< ndim
    std::int64_t* strides;  ///< ndim, in elements; null for row after row without gaps
    std::uint64_t byte_offset;
};

/// What libraries exchanged before version 1.0: it does not say whether it may be written to.
struct ManagedTensor {
    Tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(ManagedTensor* self);  ///< called once by whoever took the tensor over; null: nothing to free
};

struct VersionedTensor {
    Version version;
    void* manager_ctx;
    void (*deleter)(VersionedTensor* self);
    std::uint64_t flags;
    Tensor dl_tensor;
};
inline constexpr std::uint64_t read_only_flag = 1;

static_assert(sizeof(void*) == 8, "the layout of DLPack is checked for 64-bit systems");
static_assert(sizeof(Device) == 8 && sizeof(DataType) == 4 && sizeof(Version) == 8);
static_assert(offsetof(Tensor, device) == 8 && offsetof(Tensor, ndim) == 16 && offsetof(Tensor, dtype) == 20);
static_assert(offsetof(Tensor, shape) == 24 && offsetof(Tensor, strides) == 32 && offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(Tensor) == 48);
static_assert(offsetof(ManagedTensor, manager_ctx) == 48 && offsetof(ManagedTensor, deleter) == 56);
static_assert(sizeof(ManagedTensor) == 64);
static_assert(offsetof(VersionedTensor, manager_ctx) == 8 && offsetof(VersionedTensor, deleter) == 16);
static_assert(offsetof(VersionedTensor, flags) == 24 && offsetof(VersionedTensor, dl_tensor) == 32);
static_assert(sizeof(VersionedTensor) == 80);

/// A managed tensor, ours or DLManagedTensor of the original.
template <class M>
concept Managed = requires(M& tensor) {
    tensor.dl_tensor.byte_offset;
    tensor.manager_ctx;
    tensor.deleter(&tensor);
};

/// One that tells its version and flags: ours or DLManagedTensorVersioned.
template <class M>
concept Versioned = Managed<M> && requires(M& tensor) {
    tensor.version.major;
    tensor.flags;
};

/// Calls the deleter, as an owner does that is done with the tensor.
struct Release {
    template <Managed M>
    void operator()(M* tensor) const noexcept {
        if (tensor->deleter != nullptr) {
            tensor->deleter(tensor);
        }
    }
};

/// An owned tensor; `release()` hands it to another library.
template <Managed M>
using Handle = std::unique_ptr<M, Release>;

}  // namespace snack::inline v0::io::dlpack
