// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the library has to know about a number type, and the concept that asks for it.
// A half type joins by specialising `ScalarTraits` and by kernels that sum in its accumulator;
// `Host` sums in the type itself and refuses a wider accumulator.

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// Left undefined: a type without a specialisation is no scalar of this library.
template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<float> {
    using accumulator = float;  ///< the type sums are kept in
    static constexpr const char* name = "float";
    static constexpr double unit_roundoff = 0x1p-24;
};

template <>
struct ScalarTraits<double> {
    using accumulator = double;
    static constexpr const char* name = "double";
    static constexpr double unit_roundoff = 0x1p-53;
};

/// A type that weights and activations can be stored in: `float` or `double`.
template <class T>
concept Scalar = requires {
    typename ScalarTraits<T>::accumulator;
    ScalarTraits<T>::unit_roundoff;
};

/// The type that sums of T are kept in.
template <Scalar T>
using Accumulator = typename ScalarTraits<T>::accumulator;

}  // namespace snack::inline v0
