// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Brings memory near before a kernel gets there.

#include <snack/core/types.hpp>
#include <snack/kernels/host/batch_tile.hpp>

namespace snack::inline v0::kernels::host {

/// Reads an element of each cache line of `count` elements, in their order, which the prefetchers of the
/// hardware follow. For an array that a kernel is about to read in another order: it would wait for each line that
/// has left the caches.
template <class T>
[[gnu::always_inline]] inline void touch(const T* from, Size count) {
    constexpr Size step = cache_line / static_cast<Size>(sizeof(T));
    for (Size i = 0; i < count; i += step) {
        static_cast<void>(*static_cast<const volatile T*>(from + i));
    }
}

}  // namespace snack::inline v0::kernels::host
