// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Adjacent elements that move in one vector access.

#include <snack/core/types.hpp>

namespace snack::inline v0::simt {

/// N elements of T in 4, 8 or 16 bytes, aligned to their size.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    static_assert(sizeof(T) * N == 4 || sizeof(T) * N == 8 || sizeof(T) * N == 16, "a pack is 4, 8 or 16 bytes");

    T element[N];
};

}  // namespace snack::inline v0::simt
