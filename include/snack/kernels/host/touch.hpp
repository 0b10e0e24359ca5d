// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Brings memory near before a kernel gets there.

#include <cstdint>

#include <snack/core/types.hpp>
#include <snack/kernels/host/batch_tile.hpp>

namespace snack::inline v0::kernels::host {

/// Reads an element of each cache line of `count` elements, or of all but the last, in their order, which the
/// prefetchers of the hardware follow. For an array that a kernel is about to read in another order: it would wait for
/// each line that has left the caches.
template <class T>
[[gnu::always_inline]] inline void touch(const T* from, Size count) {
    constexpr Size step = cache_line / static_cast<Size>(sizeof(T));
    for (Size i = 0; i < count; i += step) {
        static_cast<void>(*static_cast<const volatile T*>(from + i));
    }
}

/// Asks for the line `ahead` bytes after `to`, which may lie past the end of the array: then it is asked for in vain.
template <class T>
[[gnu::always_inline]] inline void prefetch_for_writing(T* to, Size ahead) {
    const auto address = reinterpret_cast<std::uintptr_t>(to) + static_cast<std::uintptr_t>(ahead);  // no pointer yet
    __builtin_prefetch(reinterpret_cast<const void*>(address), 1);  // NOLINT(performance-no-int-to-ptr): never read
}

}  // namespace snack::inline v0::kernels::host
