// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The order in which the host runs the blocks of a grid and the threads of a block. A GPU promises
// none: a kernel whose result depends on it has a race, or adds with atomics.

#include <cstdint>
#include <span>
#include <utility>

#include <snack/core/random.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0::simt {

enum class ThreadOrder {
    ascending,
    descending,
    seeded,  ///< a random permutation of clusters, of each one's blocks, their warps and lanes
};

/// Writes 0 ... size - 1 to `numbers`, rearranged. `first` is the first of `size` draws from `key`.
template <class T>
void arrange(std::span<T> numbers, ThreadOrder order, const RandomKey& key, std::uint64_t first) {
    const std::size_t count = numbers.size();
    for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = static_cast<T>(order == ThreadOrder::descending ? count - 1 - i : i);
    }
    if (order == ThreadOrder::seeded) {
        for (std::size_t i = 1; i < count; ++i) {
            std::swap(numbers[i], numbers[random_bits(key, first + i) % (i + 1)]);
        }
    }
}

}  // namespace snack::inline v0::simt
