// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The arrays of the benchmarks. All begin on a cache line, as a user who cares for speed has them,
// so that no row is faster or slower for where its operands happened to lie.

#include <cstddef>
#include <new>
#include <vector>

namespace bench {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t cache_line{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), cache_line)); }
    void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, cache_line); }
    bool operator==(const CacheLineAllocator&) const = default;
};

using Floats = std::vector<float, CacheLineAllocator<float>>;

}  // namespace bench
