// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Normal numbers follow the normal distribution over the whole range, and every compiler gives
// the same bits.

#include <cmath>
#include <cstdint>

#include <snack/core/random.hpp>
#include <tests/core/hash.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::Hash;

namespace {

/// What the documentation of standard_normal promises.
constexpr double promised_error = 4e-7;

/// The normal number with `mass` of the distribution beyond +-it, by Newton's method on erfc
/// started from `guess`.
long double two_sided_quantile(long double mass, long double guess) {
    const long double root_2 = std::sqrt(2.0L);
    const long double pi = std::acos(-1.0L);
    long double z = guess;
    for (int step = 0; step < 20; ++step) {
        const long double density = std::sqrt(2 / pi) * std::exp(-z * z / 2);
        z += (std::erfc(z / root_2) - mass) / density;
    }
    return z;
}

/// The bits that give the `rank`-th largest of all 2^24 numbers, from 0.
std::uint64_t bits_of_rank(std::uint64_t rank) {
    return ((std::uint64_t{1} << 24) - 1 - rank) << 40;
}

/// Relative error of the `rank`-th largest number.
double relative_error(std::uint64_t rank) {
    const long double mass = std::ldexp(2 * static_cast<long double>(rank) + 1, -24);  // beyond +-it
    const long double got = standard_normal(bits_of_rank(rank));
    const long double exact = two_sided_quantile(mass, got);
    return static_cast<double>(std::fabs(got - exact) / exact);
}

}  // namespace

TEST_CASE("normal numbers meet tabled quantiles", "[core][random]") {
    const auto [probability, quantile] = GENERATE(table<double, double>({{0.75, 0.67448975019608171},
                                                                         {0.9, 1.2815515655446004},
                                                                         {0.975, 1.959963984540054},
                                                                         {0.99, 2.3263478740408408},
                                                                         {0.999, 3.0902323061678132},
                                                                         {0.9999, 3.7190164854556804}}));
    const auto draw = static_cast<std::uint64_t>(std::ldexp(probability, 24));

    const double number = standard_normal(draw << 40);

    // The draw is within 2^-24 of the probability, and the quantile moves by that over its density.
    const double density = std::exp(-quantile * quantile / 2) / std::sqrt(2 * std::acos(-1.0));
    CHECK(std::fabs(number - quantile) <= promised_error * quantile + 0x1p-24 / density);
}

TEST_CASE("normal numbers are accurate, the rarest too", "[core][random]") {
    for (int exponent = 0; exponent < 23; ++exponent) {
        for (std::uint64_t part = 0; part < 64; ++part) {
            const std::uint64_t rank = (std::uint64_t{1} << exponent) + (part << exponent) / 64 - 1;
            CAPTURE(rank);
            REQUIRE(relative_error(rank) <= promised_error);
        }
    }
    CHECK(standard_normal(~std::uint64_t{0}) < 5.43);
}

TEST_CASE("normal numbers ascend with their bits", "[core][random]") {
    double last = 0;
    for (int exponent = 22; exponent >= 0; --exponent) {
        const double number = standard_normal(bits_of_rank((std::uint64_t{1} << exponent) - 1));
        CAPTURE(exponent);
        CHECK(number > last);
        last = number;
    }
}

TEST_CASE("normal numbers are symmetric about zero and never zero", "[core][random]") {
    for (std::uint64_t index = 0; index < 10000; ++index) {
        const std::uint64_t bits = random_bits({.seed = 4}, index);
        REQUIRE(standard_normal(bits) == -standard_normal(~bits));
    }
    const std::uint64_t middle = std::uint64_t{1} << 63;
    CHECK(standard_normal(middle) > 0);
    CHECK(standard_normal(middle - 1) < 0);
}

TEST_CASE("the moments of normal numbers are those of the distribution", "[core][random]") {
    constexpr int count = 200000;
    double moments[5] = {};
    for (std::uint64_t index = 0; index < count; ++index) {
        const double number = standard_normal(random_bits({.seed = 5}, index));
        double power = 1;
        for (double& moment : moments) {
            moment += power / count;
            power *= number;
        }
    }

    // The mean of z^k over n numbers has the variance (E z^2k - (E z^k)^2) / n; four deviations.
    const auto allowed = [](double variance) { return 4 * std::sqrt(variance / count); };
    CHECK(std::fabs(moments[1]) <= allowed(1));
    CHECK(std::fabs(moments[2] - 1) <= allowed(2));
    CHECK(std::fabs(moments[3]) <= allowed(15));
    CHECK(std::fabs(moments[4] - 3) <= allowed(96));
}

TEST_CASE("random numbers have the same bits with every compiler", "[core][random]") {
    const RandomKey key{.seed = 0x0123456789abcdefu, .stream = 42, .purpose = Purpose::values, .rewire_count = 7};
    Hash bits;
    Hash uniform;
    Hash normal;

    for (std::uint64_t index = 0; index < 20000; ++index) {
        const std::uint64_t draw = random_bits(key, index);
        bits.add(draw);
        uniform.add(symmetric_uniform(draw, 0.1));
        normal.add(standard_normal(draw));
    }

    CHECK(bits.value() == 0x50033774698e426au);
    CHECK(uniform.value() == 0x1434ddc861ef5ec4u);
    CHECK(normal.value() == 0x331ebe668b42d7a4u);
}
