// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sums over the lanes of several vectors at once: the reduction trees share their shuffles, so a
// dot product over the batch costs little more than its multiplications. Each sum is the one that
// sum_lanes gives, bit for bit, wherever its vector stands.

#include <utility>

#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels::host {

namespace detail {

/// Lanes come in `Groups` groups, each a partial sum of one vector. Halves of a's groups are added
/// and become the lower halves of the result's, those of b's the upper ones.
template <int Lanes, int Groups, class V, int... Place>
[[gnu::always_inline]] inline void fold(V& sum, const V& a, const V& b, std::integer_sequence<int, Place...>) {
    constexpr int group = Lanes / Groups;
    constexpr int half = group / 2;
    // What stays in its lane is a blend; only the other halves need a shuffle.
    V kept;
    V moved;
    shuffle<(Place % group < half ? Place : Lanes + Place)...>(kept, a, b);
    shuffle<(Place % group < half ? Place + half : Lanes + Place - half)...>(moved, a, b);
    sum = kept + moved;
}

template <int Lanes, int Group, class V, int... Place>
[[gnu::always_inline]] inline void fold_within(V& sum, std::integer_sequence<int, Place...>) {
    V moved;
    shuffle<(Place / Group * Group + (Place + Group / 2) % Group)...>(moved, sum, sum);
    sum += moved;
}

template <int Lanes, int Group, class V>
[[gnu::always_inline]] inline void sum_groups(V& sum) {
    if constexpr (Group > 1) {
        fold_within<Lanes, Group>(sum, std::make_integer_sequence<int, Lanes>());
        sum_groups<Lanes, Group / 2>(sum);
    }
}

/// Folds the vectors first, first + step, ... (Count of them) into one of Lanes / Count lanes each, in
/// their order. Depth first, so few vectors are alive at a time.
template <int Lanes, int Count, class V, class Make>
[[gnu::always_inline]] inline void fold_all(V& sum, const Make& make, int first, int step) {
    if constexpr (Count == 1) {
        make(first, sum);
    } else {
        V low;
        V high;
        fold_all<Lanes, Count / 2>(low, make, first, 2 * step);
        fold_all<Lanes, Count / 2>(high, make, first + step, 2 * step);
        fold<Lanes, Count / 2>(sum, low, high, std::make_integer_sequence<int, Lanes>());
    }
}

}  // namespace detail

/// to[i] = sum of all lanes of the vector that make(i, vector) fills, for i below Lanes.
template <int Lanes, class T, class Make>
[[gnu::always_inline]] inline void sum_lanes_of_all(Vector<T, Lanes>& to, const Make& make) {
    detail::fold_all<Lanes, Lanes>(to, make, 0, 1);
}

/// The same for four vectors of four lanes or more.
template <int Lanes, class T, class Make>
[[gnu::always_inline]] inline void sum_lanes_of_four(Vector<T, 4>& to, const Make& make) {
    static_assert(Lanes >= 4);
    Vector<T, Lanes> sums;
    detail::fold_all<Lanes, 4>(sums, make, 0, 1);
    detail::sum_groups<Lanes, Lanes / 4>(sums);
    for (int i = 0; i < 4; ++i) {
        to[i] = sums[i * (Lanes / 4)];
    }
}

}  // namespace snack::inline v0::kernels::host
