// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// An owning array in GPU memory. It is taken and freed in the order of the stream of the context it was
// made through, which it may outlive.

#include <type_traits>
#include <utility>

#include <snack/core/span.hpp>
#include <snack/memory/buffer.hpp>
#include <snack/memory/cuda_allocator.cuh>

namespace snack::inline v0 {

/// Uninitialised elements of a trivially copyable type. Work on other streams that uses the array must be
/// ordered before its destruction by the caller. Not to be destroyed or assigned to while its stream records a
/// graph: CUDA does not take the memory back then.
template <class T>
class DeviceBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    DeviceBuffer() = default;

    /// @throws ArgumentError for a negative size or one whose bytes pass 2^63; CudaError or what the
    ///         allocator throws if there is no memory
    DeviceBuffer(Size size, detail::DeviceMemoryPtr memory) : size_(size), memory_(std::move(memory)) {
        Size bytes = 0;
        const bool fits = !__builtin_mul_overflow(size, static_cast<Size>(sizeof(T)), &bytes);
        require<ArgumentError>(fits && size >= 0, "DeviceBuffer", "cannot hold ", size, " elements");
        if (size > 0) {
            data_ = static_cast<T*>(memory_->allocate(bytes));
        }
    }

    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        DeviceBuffer(std::move(other)).swap(*this);
        return *this;
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() {
        if (data_ != nullptr) {
            memory_->deallocate(data_, bytes());
        }
    }

    void swap(DeviceBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(memory_, other.memory_);
    }

    /// `size` uninitialised elements of the same device, stream and allocator; of a buffer that never had
    /// any only 0.
    DeviceBuffer similar(Size size) const { return DeviceBuffer(size, memory_); }

    /// Overwrites the elements with as many of `from`, in the order of the buffer's stream.
    /// @throws CudaError if the copy cannot be started
    void copy_from(DeviceSpan<const T> from) {
        if (size_ > 0) {
            const DeviceGuard guard(memory_->device(), "DeviceBuffer::copy_from");
            SNACK_CUDA("DeviceBuffer::copy_from", cudaMemcpyAsync, data_, from.data(),
                       static_cast<std::size_t>(bytes()), cudaMemcpyDeviceToDevice, memory_->stream());
        }
    }

    /// The elements will be freed after what the stream of `user` has been given so far.
    void free_after(const char* where, const detail::DeviceMemory& user) const {
        if (size_ > 0) {
            memory_->wait_for(where, user);
        }
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    Size size() const noexcept { return size_; }
    Size bytes() const noexcept { return size_ * static_cast<Size>(sizeof(T)); }

    DeviceSpan<T> span() noexcept { return {data_, static_cast<std::size_t>(size_)}; }
    DeviceSpan<const T> span() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

private:
    T* data_ = nullptr;
    Size size_ = 0;
    detail::DeviceMemoryPtr memory_;
};

template <class T>
struct BufferTraits<T, CudaSpace> {
    using type = DeviceBuffer<T>;
};

}  // namespace snack::inline v0
