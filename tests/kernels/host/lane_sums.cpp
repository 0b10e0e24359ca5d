// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums over vector lanes, for every width a kernel uses.

#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/lane_sums.hpp>
#include <tests/support/catch.hpp>

using namespace snack::kernels;

namespace {

/// Fills four vectors with numbers whose sums tell the lanes apart, and compares.
template <class T, int Lanes>
void check() {
    Vector<T, Lanes> vectors[4];
    T want[4] = {};
    for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < Lanes; ++lane) {
            vectors[i][lane] = static_cast<T>((i + 1) * 1000 + lane * lane);
            want[i] += vectors[i][lane];
        }
    }
    T got[4];

    sum_lanes4<Lanes, T>(got, vectors);

    for (int i = 0; i < 4; ++i) {
        CAPTURE(Lanes, i);
        CHECK(got[i] == want[i]);
        CHECK(sum_lanes<T, Lanes>(vectors[i]) == want[i]);
    }
}

}  // namespace

TEST_CASE("four sums over lanes at once are those of each vector", "[kernels]") {
    constexpr int bytes = snack::isa::Current::vector_bytes;
    check<float, 4>();
    if constexpr (bytes >= 32) {
        check<float, 8>();
        check<double, 4>();
    }
    if constexpr (bytes >= 64) {
        check<float, 16>();
        check<double, 8>();
    }
}
