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
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(buffer.data()) % page) % page;
    const std::size_t bytes = buffer.span().size_bytes();
    if (allocator == nullptr && bytes >= skipped + page) {
        std::byte* const begin = reinterpret_cast<std::byte*>(buffer.data()) + skipped;
        ::madvise(begin, (bytes - skipped) / page * page, MADV_HUGEPAGE);  // a hint: it may fail
    }
#endif
    return buffer;
}

}  // namespace snack::inline v0::io::detail
