// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The few functions of <cmath> the library needs, from the compilers' built-ins: the header itself
// costs a user a sixth of the time that including the library takes.

#include <snack/core/types.hpp>

namespace snack::inline v0::math {

SNACK_HOST_DEVICE inline float sqrt(float x) {
    return __builtin_sqrtf(x);
}
SNACK_HOST_DEVICE inline double sqrt(double x) {
    return __builtin_sqrt(x);
}
SNACK_HOST_DEVICE inline double fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
SNACK_HOST_DEVICE inline double floor(double x) {
    return __builtin_floor(x);
}
SNACK_HOST_DEVICE inline double cos(double x) {
    return __builtin_cos(x);
}
SNACK_HOST_DEVICE inline Size llround(double x) {
    return static_cast<Size>(__builtin_llround(x));
}
inline Size llround(long double x) {
    return static_cast<Size>(__builtin_llroundl(x));
}

}  // namespace snack::inline v0::math
