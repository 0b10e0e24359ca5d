// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The test program's operator new: malloc with counters.

#include <tests/support/allocations.hpp>

#include <malloc.h>

namespace {

std::atomic<long> calls{0};
std::atomic<long> largest{0};
std::atomic<long> live{0};
std::atomic<long> peak{0};

void raise_to(std::atomic<long>& most, long value) {
    for (long seen = most.load(); seen < value && !most.compare_exchange_weak(seen, value);) {
    }
}

void give_back(void* memory) {
    live.fetch_sub(static_cast<long>(::malloc_usable_size(memory)), std::memory_order_relaxed);
    std::free(memory);
}

void* counted(std::size_t bytes, std::size_t alignment) {
    calls.fetch_add(1, std::memory_order_relaxed);
    raise_to(largest, static_cast<long>(bytes));
    void* memory = nullptr;  // of exactly these bytes, so that the address sanitizer sees where they end
    if (alignment <= alignof(std::max_align_t)) {
        memory = std::malloc(bytes == 0 ? 1 : bytes);
    } else if (::posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0) {
        memory = nullptr;
    }
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    const auto usable = static_cast<long>(::malloc_usable_size(memory));
    raise_to(peak, live.fetch_add(usable, std::memory_order_relaxed) + usable);
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
    return counted(bytes, 1);
}
void* operator new[](std::size_t bytes) {
    return counted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return counted(bytes, 1);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept {
    return operator new(bytes, tag);
}
void operator delete(void* memory) noexcept {
    give_back(memory);
}
void operator delete[](void* memory) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    give_back(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    give_back(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    give_back(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    give_back(memory);
}

namespace tests {

Size new_calls() {
    return calls.load();
}
Size largest_new() {
    return largest.load();
}
void reset_largest_new() {
    largest.store(0);
}
Size live_new() {
    return live.load();
}
Size peak_new() {
    return peak.load();
}
void reset_peak_new() {
    peak.store(live.load());
}

}  // namespace tests
