// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Holds a stream at a place until the host lets it go on: what is put behind the gate has not begun while it
// is closed. So a test sees which stream a call went to, and whether the call waited, without measuring time.

#include <cstdint>

#include <snack/memory/cuda_context.cuh>
#include <tests/support/catch.hpp>

namespace tests {

using snack::Size;

/// Ends when *open is not 0, or after some time.
struct WaitForHost {
    static constexpr const char* name = "WaitForHost";
    static constexpr int block_threads = 32;

    const volatile int* open;
    Size nanoseconds;

    static SNACK_DEVICE Size now() {
        Size time = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        return time;
    }
    template <class Thread>
    SNACK_DEVICE void operator()(const Thread&) const {
        const Size start = now();
        while (*open == 0 && now() - start < nanoseconds) {
        }
    }
};

class Gate {
public:
    Gate() {
        REQUIRE(cudaHostAlloc(&open_, sizeof *open_, cudaHostAllocMapped) == cudaSuccess);
        *open_ = 0;
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() {
        open();
        cudaDeviceSynchronize();
        cudaFreeHost(const_cast<int*>(open_));
    }

    /// Work that the context is given from now on waits, for `milliseconds` at most.
    void hold(snack::CudaContext& ctx, Size milliseconds) {
        ctx.launch(WaitForHost{open_, milliseconds * 1'000'000}, {.blocks_x = 1});
    }
    void open() { *open_ = 1; }

private:
    volatile int* open_ = nullptr;
};

/// Whether the stream has work that is not done.
inline bool is_busy(const snack::CudaContext& ctx) {
    const bool busy = cudaStreamQuery(ctx.stream()) == cudaErrorNotReady;
    cudaGetLastError();
    return busy;
}

/// A stream as a caller might lend it.
class LentStream {
public:
    LentStream() { REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess); }
    LentStream(const LentStream&) = delete;
    LentStream& operator=(const LentStream&) = delete;
    ~LentStream() { cudaStreamDestroy(stream_); }
    cudaStream_t get() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace tests
