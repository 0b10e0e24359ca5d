// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewires come at whole multiples of a period, never at the start, and fade out before the freeze.

#include <cmath>
#include <vector>

#include <snack/dst/schedule.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

namespace {

std::vector<Size> rewiring_steps(const RewireSchedule& schedule, Size steps) {
    std::vector<Size> rewiring;
    for (Size step = 0; step < steps; ++step) {
        if (schedule.should_rewire(step)) {
            rewiring.push_back(step);
        }
    }
    return rewiring;
}

}  // namespace

TEST_CASE("rewires come every so many steps, not at step 0 and not from the end on", "[dst][schedule]") {
    CHECK(rewiring_steps({.every = 100, .end = 450}, 1000) == std::vector<Size>{100, 200, 300, 400});
    CHECK(rewiring_steps({.every = 100, .end = 400}, 1000) == std::vector<Size>{100, 200, 300});
    CHECK(rewiring_steps({.every = 100, .end = 401}, 1000) == std::vector<Size>{100, 200, 300, 400});
    CHECK(rewiring_steps({.every = 5, .end = 26}, 40) == std::vector<Size>{5, 10, 15, 20, 25});
    CHECK(rewiring_steps({.every = 1, .end = 4}, 10) == std::vector<Size>{1, 2, 3});
}

TEST_CASE("a schedule without a period or an end never rewires", "[dst][schedule]") {
    CHECK(rewiring_steps({.every = 0, .end = 100}, 200).empty());
    CHECK(rewiring_steps({.every = -5, .end = 100}, 200).empty());
    CHECK(rewiring_steps({}, 1000).empty());
    CHECK_FALSE(RewireSchedule{.every = 5, .end = 100}.should_rewire(-5));
}

TEST_CASE("the fraction fades along half a cosine", "[dst][schedule]") {
    const RewireSchedule schedule{.every = 100, .end = 1200, .fraction = 0.3};

    // The argument is rounded three times, which moves the cosine by 3 pi u at most; half the
    // fraction of that is 1.5 u, and what follows rounds numbers below 0.3 three times.
    const double rounding = 4 * 0x1p-53;
    CHECK(schedule.fraction_at(0) == 0.3);
    CHECK(std::fabs(schedule.fraction_at(400) - 0.225) <= rounding);
    CHECK(std::fabs(schedule.fraction_at(600) - 0.15) <= rounding);
    CHECK(std::fabs(schedule.fraction_at(800) - 0.075) <= rounding);
    CHECK(schedule.fraction_at(1200) == 0);
    CHECK(schedule.fraction_at(5000) == 0);
}

TEST_CASE("the fraction descends from start to end and stays within its bounds", "[dst][schedule]") {
    const RewireSchedule schedule{.every = 1, .end = 777, .fraction = 0.5};

    double last = 0.5;
    for (Size step = 1; step <= 777; ++step) {
        const double fraction = schedule.fraction_at(step);
        REQUIRE(fraction < last);
        REQUIRE(fraction >= 0);
        last = fraction;
    }
}

TEST_CASE("the fraction is symmetric about the middle", "[dst][schedule]") {
    const RewireSchedule schedule{.every = 1, .end = 1000, .fraction = 0.4};
    const double rounding = 8 * 0x1p-53;  // twice that of one fraction

    for (Size step = 1; step < 500; ++step) {
        const double sum = schedule.fraction_at(step) + schedule.fraction_at(1000 - step);
        REQUIRE(std::fabs(sum - 0.4) <= rounding);
    }
}

TEST_CASE("a schedule that has ended from the start has no fraction", "[dst][schedule]") {
    CHECK(RewireSchedule{.every = 1, .end = 0}.fraction_at(0) == 0);
}
