// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Counts what is allocated, by two means: an Allocator that a context can be given, and counters
// in the test program's own operator new, which nothing in the process escapes.

#include <atomic>
#include <cstdlib>
#include <new>

#include <snack/memory/allocator.hpp>

namespace tests {

using snack::Size;

/// Calls of operator new in this process so far, and the largest since reset_largest_new().
Size new_calls();
Size largest_new();
void reset_largest_new();

/// Bytes that operator new has given out so far and not got back, and the most at one time since reset_peak_new().
Size live_new();
Size peak_new();
void reset_peak_new();

/// Counts and sizes; can be told to fail at a call or beyond a cap.
class CountingAllocator final : public snack::Allocator {
public:
    Size calls = 0;
    Size live_bytes = 0;
    Size peak_bytes = 0;
    Size largest = 0;
    Size fail_at_call = -1;     ///< the call (from 0) that throws std::bad_alloc
    Size cap_bytes = 1L << 62;  ///< more live bytes than this throw std::bad_alloc

    /// Counts a request, or throws in its place.
    void enter(Size bytes) {
        if (calls++ == fail_at_call || live_bytes + bytes > cap_bytes) {
            throw std::bad_alloc();
        }
        live_bytes += bytes;
        peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
        largest = bytes > largest ? bytes : largest;
    }
    void leave(Size bytes) noexcept { live_bytes -= bytes; }

    void* allocate(Size bytes, Size alignment) override {
        enter(bytes);
        return ::operator new (static_cast<std::size_t>(bytes), std::align_val_t{static_cast<std::size_t>(alignment)});
    }
    void deallocate(void* memory, Size bytes, Size alignment) noexcept override {
        leave(bytes);
        ::operator delete (memory, std::align_val_t{static_cast<std::size_t>(alignment)});
    }
};

}  // namespace tests
