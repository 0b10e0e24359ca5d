// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sums over the lanes of four vectors at once: the reduction trees share their shuffles, so a dot
// product over the batch costs little more than its multiplications.

#include <utility>

#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels {

namespace detail {

/// Two vectors of `Groups` groups of lanes become one of twice the groups: within each, lower and
/// upper half of the lanes are added.
template <int Lanes, int Groups, class V, int... I>
[[gnu::always_inline]] inline void fold(V& sum, const V& a, const V& b, std::integer_sequence<int, I...>) {
    constexpr int group = Lanes / Groups;  // lanes of a group before
    constexpr int half = group / 2;
    const V low = __builtin_shufflevector(a, b, (I / half * group + I % half)...);
    const V high = __builtin_shufflevector(a, b, (I / half * group + I % half + half)...);
    sum = low + high;
}

template <int Lanes, int Group, class V, int... I>
[[gnu::always_inline]] inline void fold_within(V& sum, std::integer_sequence<int, I...>) {
    sum += __builtin_shufflevector(sum, sum, (I / Group * Group + (I + Group / 2) % Group)...);
}

template <int Lanes, int Group, class V>
[[gnu::always_inline]] inline void sum_groups(V& sum) {
    if constexpr (Group > 1) {
        fold_within<Lanes, Group>(sum, std::make_integer_sequence<int, Lanes>());
        sum_groups<Lanes, Group / 2>(sum);
    }
}

}  // namespace detail

/// to[i] = sum of all lanes of v[i]; Lanes is at least 4.
template <int Lanes, class T>
[[gnu::always_inline]] inline void sum_lanes4(T (&to)[4], const Vector<T, Lanes> (&v)[4]) {
    static_assert(Lanes >= 4);
    constexpr auto lanes = std::make_integer_sequence<int, Lanes>();
    Vector<T, Lanes> first;
    Vector<T, Lanes> second;
    detail::fold<Lanes, 1>(first, v[0], v[1], lanes);
    detail::fold<Lanes, 1>(second, v[2], v[3], lanes);
    detail::fold<Lanes, 2>(first, first, second, lanes);
    detail::sum_groups<Lanes, Lanes / 4>(first);
    for (int i = 0; i < 4; ++i) {
        to[i] = first[i * (Lanes / 4)];
    }
}

}  // namespace snack::inline v0::kernels
