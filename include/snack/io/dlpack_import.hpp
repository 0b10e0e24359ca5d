// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A tensor of another library as a view of activations or a flat array, by DLPack and without a copy.
// What the tensor says about itself is checked against what the view promises; pointers are believed, as
// between any two libraries in one process.

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/core/matrix_view.hpp>
#include <snack/core/span.hpp>
#include <snack/io/dlpack_abi.hpp>

namespace snack::inline v0::io::dlpack {

namespace detail {

template <class T>
constexpr DataType data_type_of() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "dlpack: views are of numbers");
    constexpr TypeCode code = std::is_floating_point_v<T> ? TypeCode::floating
                              : std::is_signed_v<T>       ? TypeCode::integer
                                                          : TypeCode::unsigned_integer;
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * sizeof(T)), 1};
}

/// As frameworks write it: float32, bfloat16, float32x4.
inline std::string text_of(const DataType& type) {
    constexpr const char* names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    std::string text =
        type.code < std::size(names) ? names[type.code] : "type code " + std::to_string(type.code) + " of ";
    text += std::to_string(type.bits);
    return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

inline std::string text_of(const Device& device) {
    const std::string id = std::to_string(device.device_id);
    switch (device.device_type) {
        case DeviceType::cpu:
            return "the CPU";
        case DeviceType::cuda:
            return "CUDA device " + id;
        default:
            return "device type " + std::to_string(static_cast<std::int32_t>(device.device_type)) + ", id " + id;
    }
}

}  // namespace detail

/// Owns a tensor that another library made: its memory stays as long as this object, which calls the deleter
/// once. The views that it gives are borrowed from it.
///
/// Nothing waits for a GPU: the producer's work on the memory must have ended, or come before the reader's on
/// its stream, as the protocol of the producer arranges.
class ImportedTensor {
public:
    /// Takes the tensor over: dlpack::ManagedTensor, dlpack::VersionedTensor, or one of the original structs.
    /// @throws ArgumentError for null, UnsupportedError for another major version than 1. The tensor is
    ///         still the caller's then.
    template <class M>
    explicit ImportedTensor(M* tensor) {
        static_assert(Managed<M>, "dlpack: ImportedTensor takes a managed tensor");
        require<ArgumentError>(tensor != nullptr, where, "null tensor");
        if constexpr (Versioned<M>) {
            require<UnsupportedError>(tensor->version.major == version.major, where, "version is ",
                                      tensor->version.major, ".", tensor->version.minor, ", wanted ", version.major,
                                      ".x");
            read_only_ = (tensor->flags & read_only_flag) != 0;
        }
        const auto& from = tensor->dl_tensor;
        tensor_ = {from.data,       {static_cast<DeviceType>(from.device.device_type), from.device.device_id},
                   from.ndim,       {from.dtype.code, from.dtype.bits, from.dtype.lanes},
                   from.shape,      from.strides,
                   from.byte_offset};
        owned_ = tensor;
        release_ = [](void* owned) { Release{}(static_cast<M*>(owned)); };
    }
    ImportedTensor(ImportedTensor&& other) noexcept { swap(other); }
    ImportedTensor& operator=(ImportedTensor&& other) noexcept {
        ImportedTensor(std::move(other)).swap(*this);
        return *this;
    }
    ~ImportedTensor() {
        if (owned_ != nullptr) {
            release_(owned_);
        }
    }

    void swap(ImportedTensor& other) noexcept {
        std::swap(tensor_, other.tensor_);
        std::swap(read_only_, other.read_only_);
        std::swap(owned_, other.owned_);
        std::swap(release_, other.release_);
    }

    /// The tensor's description of itself, not yet checked; without elements for a moved-from object.
    const Tensor& description() const noexcept { return tensor_; }
    /// Whether it forbids to write to it. Tensors of before version 1.0 cannot say so.
    bool read_only() const noexcept { return read_only_; }

    /// The tensor (batch, features) where it lies.
    ///
    /// @param preferred  the layout, where the tensor can be seen in both: a single sample or feature
    /// @param device     of a GPU, whose memory it must be in; CudaSpace alone looks at it
    /// Host views also take memory that CUDA shares with the host, and so do views in CudaSpace.
    /// @throws ShapeError unless it has two dimensions, of which one lies side by side in lines that do not
    ///         overlap; ArgumentError for memory that Space does not have; UnsupportedError for another type, for
    ///         T that is not const where the tensor is read-only, and for data not aligned to T;
    ///         FormatError for a tensor that contradicts itself
    template <class T, class Space = HostSpace>
    MatrixView<T, Space> matrix(Layout preferred = Layout::row_major, int device = 0) const {
        check_elements<T, Space>(2, device);
        const Size batch = tensor_.shape[0];
        const Size features = tensor_.shape[1];
        if (batch == 0 || features == 0) {
            return {nullptr, batch, features, preferred};
        }
        const Size sample_stride = tensor_.strides != nullptr ? tensor_.strides[0] : features;
        const Size feature_stride = tensor_.strides != nullptr ? tensor_.strides[1] : 1;
        const bool by_sample = are_lines(features, feature_stride, batch, sample_stride);
        const bool by_feature = are_lines(batch, sample_stride, features, feature_stride);
        require<ShapeError>(by_sample || by_feature, where, "strides (", sample_stride, ", ", feature_stride,
                            ") of shape (", batch, ", ", features,
                            "): samples or features must lie side by side, in lines that do not overlap");
        const bool both = by_sample && by_feature;
        const Layout layout = both ? preferred : by_sample ? Layout::row_major : Layout::column_major;
        const bool rows = layout == Layout::row_major;
        const Size line = rows ? features : batch;
        const Size lines = rows ? batch : features;
        const Size stride = lines <= 1 ? line : rows ? sample_stride : feature_stride;
        return {start<T>(lines, stride), batch, features, layout, stride};
    }

    /// The tensor's only dimension as a flat array, for values, gradients, a bias, or coordinates.
    /// @throws as `matrix`; ShapeError unless it has one dimension, without gaps
    template <class T, class Space = HostSpace>
    SpanIn<T, Space> array(int device = 0) const {
        check_elements<T, Space>(1, device);
        const Size count = tensor_.shape[0];
        if (count == 0) {
            return {};
        }
        const Size stride = tensor_.strides != nullptr ? tensor_.strides[0] : 1;
        require<ShapeError>(count == 1 || stride == 1, where, "strides (", stride, ") of shape (", count,
                            "): a flat array has no gaps");
        return {start<T>(1, count), static_cast<std::size_t>(count)};
    }

private:
    static constexpr const char* where = "dlpack";

    /// Whether elements lie side by side in lines that are no shorter than they must be. What a stride along
    /// one element says does not matter.
    static bool are_lines(Size line, Size element_stride, Size lines, Size line_stride) {
        return (line == 1 || element_stride == 1) && (lines == 1 || line_stride >= line);
    }

    template <class T, class Space>
    void check_elements(int dimensions, int device) const {
        constexpr DataType wanted = detail::data_type_of<std::remove_const_t<T>>();
        const DataType& type = tensor_.dtype;
        require<UnsupportedError>(type.code == wanted.code && type.bits == wanted.bits && type.lanes == wanted.lanes,
                                  where, "dtype is ", detail::text_of(type), ", wanted ", detail::text_of(wanted));
        require<ShapeError>(tensor_.ndim == dimensions, where, "ndim is ", tensor_.ndim, ", wanted ", dimensions);
        require<FormatError>(tensor_.shape != nullptr, where, "shape is null for ", dimensions, " dimensions");
        for (int i = 0; i < dimensions; ++i) {
            require<FormatError>(tensor_.shape[i] >= 0, where, "shape[", i, "] is ", tensor_.shape[i]);
        }
        require<UnsupportedError>(std::is_const_v<T> || !read_only_, where,
                                  "flags: the tensor is read-only, so views must be of const elements");
        const DeviceType at = tensor_.device.device_type;
        const bool shared = at == DeviceType::cuda_host || at == DeviceType::cuda_managed;
        if constexpr (std::is_same_v<Space, HostSpace>) {
            require<ArgumentError>(shared || at == DeviceType::cpu, where, "device is ",
                                   detail::text_of(tensor_.device), ", wanted ",
                                   detail::text_of(Device{DeviceType::cpu, 0}));
        } else {
            static_assert(std::is_same_v<Space, CudaSpace>, "dlpack: views are in HostSpace or CudaSpace");
            require<ArgumentError>(shared || (at == DeviceType::cuda && tensor_.device.device_id == device), where,
                                   "device is ", detail::text_of(tensor_.device), ", wanted ",
                                   detail::text_of(Device{DeviceType::cuda, device}));
        }
    }

    /// Where the elements begin: `lines` lines, each `stride` elements after the one before.
    template <class T>
    T* start(Size lines, Size stride) const {
        require<FormatError>(tensor_.data != nullptr, where, "data is null for ", lines, " lines of elements");
        std::uintptr_t first = 0;
        std::uintptr_t last = 0;
        std::uintptr_t bytes = 0;
        const bool fits =
            !__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor_.data), tensor_.byte_offset, &first) &&
            !__builtin_mul_overflow(lines, stride, &bytes) && !__builtin_mul_overflow(bytes, sizeof(T), &bytes) &&
            !__builtin_add_overflow(first, bytes, &last);
        require<FormatError>(fits, where, "byte_offset ", tensor_.byte_offset, " and ", lines, " lines of stride ",
                             stride, " pass the end of memory");
        require<UnsupportedError>(first % alignof(T) == 0, where, "data and byte_offset ", tensor_.byte_offset,
                                  " are not aligned to ", alignof(T), " bytes");
        return reinterpret_cast<T*>(static_cast<unsigned char*>(tensor_.data) + tensor_.byte_offset);
    }

    Tensor tensor_ = {};
    bool read_only_ = false;
    void* owned_ = nullptr;
    void (*release_)(void*) = nullptr;
};

}  // namespace snack::inline v0::io::dlpack
