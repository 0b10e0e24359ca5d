// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Memory for what a reader fills once: in large pages where the system gives them on request, since else a tenth of
// the time to read a file goes into page faults.

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include <snack/memory/buffer.hpp>

namespace snack::inline v0::io::detail {

/// `size` uninitialised elements. Memory of a caller's allocator is left as it is.
template <class T>
Buffer<T> large_buffer(Size size, Allocator* allocator) {
    Buffer<T> buffer(size, allocator);
#if defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto begin = (reinterpret_cast<std::uintptr_t>(buffer.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(buffer.data() + buffer.size()) / page * page;
    if (allocator == nullptr && begin < end) {
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a hint: it may fail
    }
#endif
    return buffer;
}

}  // namespace snack::inline v0::io::detail
