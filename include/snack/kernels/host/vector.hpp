// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A few lanes of T that live in one vector register, by the compilers' vector extension.
// One lane is the scalar itself, so a kernel body written once serves full tiles and tails.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels::host {

template <class T, int Lanes>
struct VectorType {
    typedef T type __attribute__((vector_size(sizeof(T) * Lanes)));
};
template <class T>
struct VectorType<T, 1> {
    using type = T;
};

/// Lanes samples of one feature.
template <class T, int Lanes>
using Vector = typename VectorType<T, Lanes>::type;

/// Loads from and stores to any address.
template <int Lanes, class T>
[[gnu::always_inline]] inline void load(Vector<T, Lanes>& vector, const T* from) {
    std::memcpy(&vector, from, sizeof vector);
}
template <int Lanes, class T>
[[gnu::always_inline]] inline void store(const Vector<T, Lanes>& vector, T* to) {
    std::memcpy(to, &vector, sizeof vector);
}

/// to[i] = lane Lane[i] of a and b, one after the other.
template <int... Lane, class V>
[[gnu::always_inline]] inline void shuffle(V& to, const V& a, const V& b) {
#if defined(__clang__)
    to = __builtin_shufflevector(a, b, Lane...);
#else  // the older built-in: nvcc, which passes host code on to g++, loses packs among arguments
    using Number = std::conditional_t<sizeof(V) / sizeof...(Lane) == 4, std::int32_t, std::int64_t>;
    to = __builtin_shuffle(a, b, Vector<Number, sizeof...(Lane)>{Lane...});
#endif
}

/// Sum of all lanes, by halving: the order of the additions is fixed.
template <class T, int Lanes>
[[gnu::always_inline]] inline T sum_lanes(const Vector<T, Lanes>& vector) {
    if constexpr (Lanes == 1) {
        return vector;
    } else {
        Vector<T, Lanes / 2> low;
        Vector<T, Lanes / 2> high;
        std::memcpy(&low, &vector, sizeof low);
        std::memcpy(&high, reinterpret_cast<const char*>(&vector) + sizeof low, sizeof high);
        low += high;
        return sum_lanes<T, Lanes / 2>(low);
    }
}

}  // namespace snack::inline v0::kernels::host
