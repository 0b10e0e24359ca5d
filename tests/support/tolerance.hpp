// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How far a floating-point sum may be from the exact one, in any order of summation.
// With u the unit roundoff and S the sum of magnitudes of the f products (bias counted in),
// |y' - y| <= gamma_(f+1) S, gamma_n = n u / (1 - n u), plus f times the smallest subnormal for
// underflow; zero-mean random data stays within 16 u S (Higham, Accuracy and Stability, chapter 4).

#include <cmath>
#include <limits>

#include <snack/core/scalar.hpp>

namespace tests {

/// One exact result and what it was summed from.
struct ExactSum {
    long double value = 0;
    long double magnitude = 0;
    double terms = 0;

    void add(long double term) {
        value += term;
        magnitude += term < 0 ? -term : term;
        terms += 1;
    }
};

/// The bound no order of summation exceeds.
template <class T>
long double strict_bound(const ExactSum& sum) {
    const long double u = snack::ScalarTraits<T>::unit_roundoff;
    const long double n = static_cast<long double>(sum.terms) + 1;
    return n * u / (1 - n * u) * sum.magnitude + n * static_cast<long double>(std::numeric_limits<T>::denorm_min());
}

/// What zero-mean random data stays within.
template <class T>
long double random_bound(const ExactSum& sum) {
    const long double likely = 16 * static_cast<long double>(snack::ScalarTraits<T>::unit_roundoff) * sum.magnitude;
    const long double strict = strict_bound<T>(sum);
    return likely < strict ? likely : strict;
}

template <class T>
bool within_random_bound(T got, const ExactSum& sum) {
    return std::fabs(static_cast<long double>(got) - sum.value) <= random_bound<T>(sum);
}

}  // namespace tests
