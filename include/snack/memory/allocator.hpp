// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The interface through which a caller supplies memory, and the default behind it.
// Every array that a layer, plan, optimiser or scratch space holds comes through here, so a caller
// can pool it, count it or cap it; only small bookkeeping of fixed size does not.

#include <cstddef>
#include <new>

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// A source of memory. It must outlive everything allocated from it, and must be safe to call
/// from several threads if contexts of several threads share it.
class Allocator {
public:
    Allocator() = default;
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;
    virtual ~Allocator() = default;

    /// At least `bytes` bytes (> 0) aligned to `alignment`; throws when there are none.
    virtual void* allocate(Size bytes, Size alignment) = 0;
    virtual void deallocate(void* memory, Size bytes, Size alignment) noexcept = 0;
};

namespace detail {

/// Cache line and widest vector register: every buffer starts on such a boundary.
inline constexpr Size buffer_alignment = 64;

/// A null allocator stands for operator new.
inline void* allocate(Allocator* allocator, Size bytes) {
    if (allocator != nullptr) {
        return allocator->allocate(bytes, buffer_alignment);
    }
    return ::operator new (static_cast<std::size_t>(bytes), std::align_val_t{buffer_alignment});
}

inline void deallocate(Allocator* allocator, void* memory, Size bytes) noexcept {
    if (allocator != nullptr) {
        allocator->deallocate(memory, bytes, buffer_alignment);
    } else {
        ::operator delete (memory, std::align_val_t{buffer_alignment});
    }
}

}  // namespace detail

}  // namespace snack::inline v0
