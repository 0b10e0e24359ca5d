// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Transposes a square of numbers that lies in as many registers as a register has lanes, by
// exchanging halves, quarters and so on between pairs of registers.

#include <utility>

#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels::host {

namespace detail {

/// Of each group of 2 * Half lanes, the upper half of a changes places with the lower half of b.
template <int Lanes, int Half, class V, int... Place>
[[gnu::always_inline]] inline void exchange(V& a, V& b, std::integer_sequence<int, Place...>) {
    V low;
    shuffle<((Place & Half) == 0 ? Place : Lanes + Place - Half)...>(low, a, b);
    shuffle<((Place & Half) == 0 ? Place + Half : Lanes + Place)...>(b, a, b);
    a = low;
}

template <int Lanes, int Half, class V>
[[gnu::always_inline]] inline void exchange_all(V (&square)[Lanes]) {
    if constexpr (Half > 0) {
        for (int i = 0; i < Lanes; ++i) {
            if ((i & Half) == 0) {
                exchange<Lanes, Half>(square[i], square[i + Half], std::make_integer_sequence<int, Lanes>());
            }
        }
        exchange_all<Lanes, Half / 2>(square);
    }
}

}  // namespace detail

/// square[i][j] and square[j][i] change places.
template <int Lanes, class T>
[[gnu::always_inline]] inline void transpose(Vector<T, Lanes> (&square)[Lanes]) {
    detail::exchange_all<Lanes, Lanes / 2>(square);
}

}  // namespace snack::inline v0::kernels::host
