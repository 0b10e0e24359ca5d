// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Equality of numbers as they are stored: NaN equals itself, and -0 is not 0.

#include <cstring>
#include <span>

namespace tests {

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace tests
