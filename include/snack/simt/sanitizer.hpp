// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What AddressSanitizer has to be told about stacks that are switched and memory that is off
// limits; nothing in a build without it.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SNACK_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SNACK_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(SNACK_ADDRESS_SANITIZER)
#define SNACK_ADDRESS_SANITIZER 0
#endif

#if SNACK_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace snack::inline v0::simt {

/// A stack as the sanitizer knows it.
struct StackBounds {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
};

#if SNACK_ADDRESS_SANITIZER

/// Before a switch to the stack `to`; `frames` keeps what the sanitizer holds of this one.
inline void start_switch(void*& frames, const StackBounds& to) {
    __sanitizer_start_switch_fiber(&frames, to.bottom, to.bytes);
}
/// After a switch, on the new stack; `from` receives the bounds of the one left.
inline void finish_switch(void* frames, StackBounds& from) {
    __sanitizer_finish_switch_fiber(frames, &from.bottom, &from.bytes);
}
/// Before a jump past frames of the same stack, which are never left.
inline void forget_frames() {
    __asan_handle_no_return();
}
inline void forbid_access(const void* memory, std::size_t bytes) {
    __asan_poison_memory_region(memory, bytes);
}
inline void allow_access(const void* memory, std::size_t bytes) {
    __asan_unpoison_memory_region(memory, bytes);
}

#else

inline void start_switch(void*&, const StackBounds&) {}
inline void finish_switch(void*, StackBounds&) {}
inline void forget_frames() {}
inline void forbid_access(const void*, std::size_t) {}
inline void allow_access(const void*, std::size_t) {}

#endif

}  // namespace snack::inline v0::simt
