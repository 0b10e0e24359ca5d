// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Squares are transposed at every width a kernel uses.

#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/transpose.hpp>
#include <tests/support/catch.hpp>

using namespace snack::kernels::host;

namespace {

template <class T, int Lanes>
void check() {
    Vector<T, Lanes> square[Lanes];
    for (int i = 0; i < Lanes; ++i) {
        for (int j = 0; j < Lanes; ++j) {
            square[i][j] = static_cast<T>(100 * i + j);
        }
    }

    transpose<Lanes, T>(square);

    CAPTURE(Lanes);
    for (int i = 0; i < Lanes; ++i) {
        for (int j = 0; j < Lanes; ++j) {
            REQUIRE(square[i][j] == static_cast<T>(100 * j + i));
        }
    }
}

}  // namespace

TEST_CASE("rows and columns of a square change places", "[kernels]") {
    check<float, 4>();
    check<double, 2>();
    if constexpr (snack::isa::Current::vector_bytes >= 32) {
        check<float, 8>();
        check<double, 4>();
    }
}
