// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Algorithm 2 of the paper: distinct cells drawn uniformly, without a dense array.
// The paper's hash set is replaced by rounds of draw, sort and merge: each round draws as many
// cells as are still missing, so the outcome is exactly the paper's, "the first n distinct draws",
// at any number of threads. Above half density the complement is drawn.

#include <type_traits>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/core/random.hpp>
#include <snack/sparse/radix_sort.hpp>

namespace snack::inline v0 {

namespace detail {

/// Appends the elements of `fresh` (ascending, with repeats) that `sorted` lacks; `sorted` holds
/// `count` elements ascending and has room. Returns the new count.
inline Size merge_distinct(Buffer<Size>& sorted, Size count, const Buffer<Size>& fresh) {
    Buffer<Size> lacking(fresh.size(), fresh.allocator());
    Size added = 0;
    Size at = 0;
    for (Size i = 0; i < fresh.size(); ++i) {
        while (at < count && sorted[at] < fresh[i]) {
            ++at;
        }
        const bool repeats = i > 0 && fresh[i - 1] == fresh[i];
        if (!repeats && (at == count || sorted[at] != fresh[i])) {
            lacking[added++] = fresh[i];
        }
    }
    Size from = count - 1;
    Size add = added - 1;
    for (Size to = count + added - 1; add >= 0; --to) {
        const bool old = from >= 0 && sorted[from] > lacking[add];
        sorted[to] = old ? sorted[from--] : lacking[add--];
    }
    return count + added;
}

/// The first `count` distinct draws from [0, population), ascending. count <= population / 2.
inline Buffer<Size> first_distinct_draws(const RandomKey& key, Size population, Size count, Allocator* allocator) {
    Buffer<Size> sorted(count, allocator);
    Size found = 0;
    for (std::uint64_t index = 0; found < count;) {
        Buffer<Size> fresh(count - found, allocator);
        for (Size& draw : fresh) {
            do {
                draw = bounded_draw(random_bits(key, index++), static_cast<std::uint64_t>(population));
            } while (draw < 0);
        }
        radix_sort(fresh, population);
        found = merge_distinct(sorted, found, fresh);
    }
    return sorted;
}

}  // namespace detail

/// `count` distinct numbers from [0, population), ascending, every subset equally likely.
///
/// O(count) memory and near-linear time from one number to all of them; the same set for the
/// same key anywhere.
/// @throws ArgumentError unless 0 <= count <= population
inline Buffer<Size> sample_without_replacement(const RandomKey& key, Size population, Size count,
                                               Allocator* allocator = nullptr) {
    require<ArgumentError>(count >= 0 && count <= population, "sample_without_replacement", "cannot draw ", count,
                           " distinct numbers out of ", population);
    if (count <= population / 2) {
        return detail::first_distinct_draws(key, population, count, allocator);
    }
    const Buffer<Size> left_out = detail::first_distinct_draws(key, population, population - count, allocator);
    Buffer<Size> chosen(count, allocator);
    Size skipped = 0;
    Size next = 0;
    for (Size& number : chosen) {
        while (skipped < left_out.size() && left_out[skipped] == next) {
            ++skipped;
            ++next;
        }
        number = next++;
    }
    return chosen;
}

/// The same with the memory of a context on the host.
template <class Context>
requires std::is_same_v<typename Context::space, HostSpace> Buffer<Size> sample_without_replacement(
    Context& ctx, const RandomKey& key, Size population, Size count) {
    return sample_without_replacement(key, population, count, ctx.allocator());
}

}  // namespace snack::inline v0
