// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums over vector lanes, for every width a kernel uses.

#include <cstring>
#include <vector>

#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/lane_sums.hpp>
#include <tests/support/catch.hpp>

using namespace snack::kernels::host;

namespace {

/// Vectors of numbers whose sums depend on the order of summation; compares bits.
template <class T, int Lanes>
void check() {
    Vector<T, Lanes> vectors[Lanes];
    T want[Lanes];
    for (int i = 0; i < Lanes; ++i) {
        for (int lane = 0; lane < Lanes; ++lane) {
            vectors[i][lane] = T{1} / static_cast<T>((i + 1) * 3 + lane * lane);
        }
        want[i] = sum_lanes<T, Lanes>(vectors[i]);
    }
    const auto make = [&](int i, Vector<T, Lanes>& to) { to = vectors[i]; };
    Vector<T, Lanes> all;
    sum_lanes_of_all<Lanes, T>(all, make);
    CAPTURE(Lanes);
    CHECK(std::memcmp(&all, want, sizeof all) == 0);
    if constexpr (Lanes >= 4) {
        Vector<T, 4> four;
        sum_lanes_of_four<Lanes, T>(four, make);
        CHECK(std::memcmp(&four, want, sizeof four) == 0);
    }
}

}  // namespace

TEST_CASE("the lanes of a vector are added up", "[kernels]") {
    const Vector<double, 4> v = {1, 20, 300, 4000};

    CHECK(sum_lanes<double, 4>(v) == 4321);
    CHECK(sum_lanes<float, 1>(7.0f) == 7);
}

TEST_CASE("sums over the lanes of several vectors are those of each, bit for bit", "[kernels]") {
    constexpr int bytes = snack::isa::Current::vector_bytes;
    check<float, 4>();
    check<double, 2>();
    if constexpr (bytes >= 32) {
        check<float, 8>();
        check<double, 4>();
    }
    if constexpr (bytes >= 64) {
        check<float, 16>();
        check<double, 8>();
    }
}
