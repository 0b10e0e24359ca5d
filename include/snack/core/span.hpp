// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Borrowed flat arrays with their memory space in the type: std::span on the host, and a span that the
// host cannot dereference on a GPU. Parameters, gradients and coordinates are handed out as these.

#include <cstddef>
#include <span>
#include <type_traits>

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// A borrowed array in GPU memory; the part of std::span's interface that does not touch elements.
template <class T>
class DeviceSpan {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr DeviceSpan() = default;
    SNACK_HOST_DEVICE constexpr DeviceSpan(T* data, std::size_t size) : data_(data), size_(size) {}

    /// A span of T converts to a span of const T.
    template <class U>
    requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) SNACK_HOST_DEVICE
        constexpr DeviceSpan(const DeviceSpan<U>& other)
        : data_(other.data()), size_(other.size()) {}

    SNACK_HOST_DEVICE constexpr T* data() const { return data_; }
    SNACK_HOST_DEVICE constexpr std::size_t size() const { return size_; }
    SNACK_HOST_DEVICE constexpr std::size_t size_bytes() const { return size_ * sizeof(T); }
    SNACK_HOST_DEVICE constexpr bool empty() const { return size_ == 0; }

    /// Parts of the array; like those of std::span, they do not check the bounds.
    SNACK_HOST_DEVICE constexpr DeviceSpan first(std::size_t count) const { return {data_, count}; }
    SNACK_HOST_DEVICE constexpr DeviceSpan subspan(std::size_t offset, std::size_t count) const {
        return {data_ + offset, count};
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// The span of a memory space.
template <class T, class Space>
using SpanIn = std::conditional_t<std::is_same_v<Space, HostSpace>, std::span<T>, DeviceSpan<T>>;

}  // namespace snack::inline v0
