// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Least-significant-digit radix sort of cell indices, with or without a payload that follows.
// Linear in the count and stable; it serves the initialiser (Algorithm 2 of the paper, whose
// draws must be sorted) and the ordering of a user's entries.

#include <utility>

#include <snack/memory/buffer.hpp>

namespace snack::inline v0 {

namespace detail {

inline constexpr int radix_digit_bits = 11;

/// Number of bits that hold every value in [0, bound).
constexpr int bits_below(Size bound) {
    int bits = 0;
    while (bits < 63 && (Size{1} << bits) < bound) {
        ++bits;
    }
    return bits;
}

}  // namespace detail

/// Sorts keys in [0, bound) ascending; if `payload` is not null it holds as many elements and is
/// permuted alike. O(n log(bound) / 11) time, memory for a second copy of both.
inline void radix_sort(Buffer<Size>& keys, Size bound, Buffer<Size>* payload = nullptr) {
    constexpr int digit = detail::radix_digit_bits;
    constexpr Size bins = Size{1} << digit;
    const Size count = keys.size();
    Buffer<Size> other_keys(count, keys.allocator());
    Buffer<Size> other_payload(payload != nullptr ? count : 0, keys.allocator());
    Buffer<Size> start(bins, keys.allocator());
    for (int shift = 0; shift < detail::bits_below(bound); shift += digit) {
        start.fill(0);
        for (Size i = 0; i < count; ++i) {
            ++start[keys[i] >> shift & (bins - 1)];
        }
        Size sum = 0;
        for (Size& bin : start) {
            sum += std::exchange(bin, sum);
        }
        for (Size i = 0; i < count; ++i) {
            const Size to = start[keys[i] >> shift & (bins - 1)]++;
            other_keys[to] = keys[i];
            if (payload != nullptr) {
                other_payload[to] = (*payload)[i];
            }
        }
        keys.swap(other_keys);
        if (payload != nullptr) {
            payload->swap(other_payload);
        }
    }
}

}  // namespace snack::inline v0
