// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// GPU memory with accounts and a limit: what a method holds, the most it ever held, and where it would
// stop on a card with less memory than this one.

#include <algorithm>
#include <limits>
#include <new>

#include <snack/memory/cuda_context.cuh>

namespace bench::gpu {

using snack::Size;

/// The device's pool behind a limit. Bytes are those asked for, without what the pool rounds up.
class MemoryBudget final : public snack::CudaAllocator {
public:
    explicit MemoryBudget(Size limit = std::numeric_limits<Size>::max()) : limit_(limit) {}

    /// @throws std::bad_alloc if the limit would be passed, or the device has no more
    void* allocate(Size bytes, cudaStream_t stream) override {
        if (bytes > limit_ - held_) {
            throw std::bad_alloc();
        }
        void* memory = nullptr;
        if (cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream) != cudaSuccess) {
            cudaGetLastError();  // it is told by the exception
            throw std::bad_alloc();
        }
        held_ += bytes;
        peak_ = std::max(peak_, held_);
        return memory;
    }

    void deallocate(void* memory, Size bytes, cudaStream_t stream) noexcept override {
        held_ -= bytes;
        cudaFreeAsync(memory, stream);
    }

    Size held() const { return held_; }
    Size peak() const { return peak_; }
    void forget_peak() { peak_ = held_; }

private:
    Size limit_;
    Size held_ = 0;
    Size peak_ = 0;
};

/// Lets the device's pool keep what is freed. By default it gives memory back to the system whenever somebody waits
/// for a stream, and takes it again with the next layer that is made.
inline void keep_freed_memory(const snack::CudaContext& ctx) {
    cudaMemPool_t pool = nullptr;
    SNACK_CUDA("keep_freed_memory", cudaDeviceGetDefaultMemPool, &pool, ctx.device());
    std::uint64_t everything = std::numeric_limits<std::uint64_t>::max();
    SNACK_CUDA("keep_freed_memory", cudaMemPoolSetAttribute, pool, cudaMemPoolAttrReleaseThreshold, &everything);
}

/// A context on the stream of another one, with accounts of its own.
struct Workbench {
    MemoryBudget budget;
    snack::CudaContext ctx;

    explicit Workbench(const snack::CudaContext& beside, Size limit = std::numeric_limits<Size>::max())
        : budget(limit), ctx({.stream = beside.stream(), .allocator = &budget}) {}
};

}  // namespace bench::gpu
