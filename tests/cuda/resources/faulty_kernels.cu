// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels with the faults that check.py looks for; each must be found.

#include <snack/simt/device_launcher.cuh>

namespace faulty {

using snack::Size;

/// Goes through an array by numbers that are known at run time only.
struct StackFrame {
    static constexpr const char* name = "StackFrame";
    static constexpr int block_threads = 32;
    const int* from;
    int* to;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        int local[64];
        for (int i = 0; i < 64; ++i) {
            local[from[i] & 63] = i;
        }
        to[thread.index()] = local[from[thread.index()] & 63];
    }
};

struct SingleBytes {
    static constexpr const char* name = "SingleBytes";
    static constexpr int block_threads = 32;
    const unsigned char* from;
    float* to;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        to[thread.index()] = static_cast<float>(from[thread.index()]);
    }
};

struct PackInPieces {
    static constexpr const char* name = "PackInPieces";
    static constexpr int block_threads = 32;
    const float* from;
    float* to;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        to[thread.index()] = from[2 * thread.index()] + from[2 * thread.index() + 1];
    }
};

}  // namespace faulty

void launch_faulty_kernels(cudaStream_t stream) {
    static_cast<void>(snack::simt::launch(stream, {}, faulty::StackFrame{}));
    static_cast<void>(snack::simt::launch(stream, {}, faulty::SingleBytes{}));
    static_cast<void>(snack::simt::launch(stream, {}, faulty::PackInPieces{}));
}
