// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// An owning host array of fixed size from a caller's allocator.
// It holds exactly the elements asked for, with no padding, so that a kernel that reads past
// the last entry is caught by a sanitizer.

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/core/types.hpp>
#include <snack/memory/allocator.hpp>

namespace snack::inline v0 {

/// `size` elements of a trivially copyable T on a 64-byte boundary. Movable; a copy is spelled
/// `clone()`. A moved-from buffer is empty.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>, "Buffer holds trivially copyable types only");

public:
    Buffer() = default;

    /// Uninitialised elements. A null allocator means operator new.
    /// @throws ArgumentError for a negative size or one whose bytes pass 2^63; what the allocator throws
    explicit Buffer(Size size, Allocator* allocator = nullptr) : size_(size), allocator_(allocator) {
        require<ArgumentError>(size >= 0 && size <= max_elements, "Buffer", "cannot hold ", size, " elements");
        if (size > 0) {
            data_ = static_cast<T*>(detail::allocate(allocator, bytes()));
        }
    }

    Buffer(Size size, T value, Allocator* allocator) : Buffer(size, allocator) { fill(value); }

    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (data_ != nullptr) {
            detail::deallocate(allocator_, data_, bytes());
        }
    }

    /// The same elements in new memory from the same allocator.
    Buffer clone() const {
        Buffer copy = similar(size_);
        copy.copy_from(span());
        return copy;
    }

    /// `size` uninitialised elements from the same allocator.
    Buffer similar(Size size) const { return Buffer(size, allocator_); }

    /// Overwrites the elements with as many of `from`, which lie elsewhere.
    void copy_from(std::span<const T> from) noexcept {
        if (size_ > 0) {
            std::memcpy(data_, from.data(), static_cast<std::size_t>(bytes()));
        }
    }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(allocator_, other.allocator_);
    }

    void fill(T value) noexcept {
        for (Size i = 0; i < size_; ++i) {
            data_[i] = value;
        }
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    Size size() const noexcept { return size_; }
    Size bytes() const noexcept { return size_ * static_cast<Size>(sizeof(T)); }
    Allocator* allocator() const noexcept { return allocator_; }

    T& operator[](Size i) noexcept { return data_[i]; }
    const T& operator[](Size i) const noexcept { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }

    std::span<T> span() noexcept { return {data_, static_cast<std::size_t>(size_)}; }
    std::span<const T> span() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

private:
    static constexpr Size max_elements = 0x7fffffffffffffff / static_cast<Size>(sizeof(T));

    T* data_ = nullptr;
    Size size_ = 0;
    Allocator* allocator_ = nullptr;
};

/// The owning array of a memory space; each space specialises it.
template <class T, class Space>
struct BufferTraits;

template <class T>
struct BufferTraits<T, HostSpace> {
    using type = Buffer<T>;
};

template <class T, class Space>
using BufferIn = typename BufferTraits<T, Space>::type;

}  // namespace snack::inline v0
