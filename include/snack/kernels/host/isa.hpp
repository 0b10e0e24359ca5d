// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The instruction set this translation unit is compiled for, as a type.
// Every host kernel carries it as its first template argument, so that units for different register
// widths share no kernel and the linker cannot swap a wide one into a program for a narrow machine.
// Other inline code is not tagged: keep units for different machines in separate shared objects.

#include <snack/core/types.hpp>

namespace snack::inline v0::isa {

struct Baseline {
    static constexpr int vector_bytes = 16;
};
struct Avx {
    static constexpr int vector_bytes = 32;
};
struct Avx2 {
    static constexpr int vector_bytes = 32;
};
struct Avx512 {
    static constexpr int vector_bytes = 64;
};

#if defined(__AVX512F__)
using Current = Avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using Current = Avx2;
#elif defined(__AVX__)
using Current = Avx;
#else
using Current = Baseline;
#endif

}  // namespace snack::inline v0::isa
