// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The interface through which a caller supplies GPU memory, and the default behind it: the device's
// stream-ordered pool. Every array that a layer, plan, optimiser or scratch space holds comes through here.

#include <memory>

#include <snack/core/types.hpp>
#include <snack/memory/device_guard.cuh>

namespace snack::inline v0 {

/// A source of GPU memory on the current device. It must outlive everything allocated from it, and must be
/// safe to call from several threads if contexts of several threads share it.
class CudaAllocator {
public:
    CudaAllocator() = default;
    CudaAllocator(const CudaAllocator&) = delete;
    CudaAllocator& operator=(const CudaAllocator&) = delete;
    virtual ~CudaAllocator() = default;

    /// At least `bytes` bytes (> 0), aligned to 256, for work on `stream`; throws when there are none.
    virtual void* allocate(Size bytes, cudaStream_t stream) = 0;
    /// The memory may be in use by work that `stream` has been given before this call.
    virtual void deallocate(void* memory, Size bytes, cudaStream_t stream) noexcept = 0;
};

namespace detail {

/// Why a call that takes memory or makes a handle fails while its stream records a graph.
inline constexpr const char* recording_text =
    "the stream is recording a graph; make layers and run each operation once before that";

/// Device, stream and allocator that a context and all arrays made through it share. A stream of its own
/// lives until the last of them is gone, since freeing is work on the stream.
class DeviceMemory {
public:
    DeviceMemory(int device, const cudaStream_t* borrowed, CudaAllocator* allocator)
        : device_(device), owns_stream_(borrowed == nullptr), allocator_(allocator) {
        const DeviceGuard guard(device, "CudaContext");
        if (owns_stream_) {
            SNACK_CUDA("CudaContext", cudaStreamCreateWithFlags, &stream_, cudaStreamNonBlocking);
        } else {
            stream_ = *borrowed;
        }
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory() {
        if (owns_stream_) {
            cudaStreamDestroy(stream_);
        }
    }

    int device() const noexcept { return device_; }
    cudaStream_t stream() const noexcept { return stream_; }
    CudaAllocator* allocator() const noexcept { return allocator_; }

    void* allocate(Size bytes) const {
        constexpr const char* where = "CudaContext::allocate";
        const DeviceGuard guard(device_, where);
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        SNACK_CUDA(where, cudaStreamIsCapturing, stream_, &status);
        require<UnsupportedError>(status == cudaStreamCaptureStatusNone, where, recording_text);
        if (allocator_ != nullptr) {
            return allocator_->allocate(bytes, stream_);
        }
        void* memory = nullptr;
        SNACK_CUDA(where, cudaMallocAsync, &memory, static_cast<std::size_t>(bytes), stream_);
        return memory;
    }

    /// What the stream is given from now on comes after what that of `other` has been given so far.
    void wait_for(const char* where, const DeviceMemory& other) const {
        if (device_ == other.device_ && stream_ == other.stream_) {
            return;
        }
        const DeviceGuard others(other.device_, where);
        cudaEvent_t event = nullptr;
        SNACK_CUDA(where, cudaEventCreateWithFlags, &event, cudaEventDisableTiming);
        const cudaError_t recorded = cudaEventRecord(event, other.stream_);
        cudaError_t waited = cudaSuccess;
        if (recorded == cudaSuccess) {
            const QuietDeviceGuard own(device_);  // a borrowed stream may be the default one, of either device
            waited = cudaStreamWaitEvent(stream_, event, 0);
        }
        cudaEventDestroy(event);
        require_cuda(recorded, where, "cudaEventRecord");
        require_cuda(waited, where, "cudaStreamWaitEvent");
    }

    void deallocate(void* memory, Size bytes) const noexcept {
        const QuietDeviceGuard guard(device_);
        if (allocator_ != nullptr) {
            allocator_->deallocate(memory, bytes, stream_);
        } else {
            cudaFreeAsync(memory, stream_);
        }
    }

private:
    int device_;
    bool owns_stream_;
    cudaStream_t stream_ = nullptr;
    CudaAllocator* allocator_;
};

using DeviceMemoryPtr = std::shared_ptr<const DeviceMemory>;

}  // namespace detail

}  // namespace snack::inline v0
