// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every subset is equally likely. The seeds are fixed, so these tests give the same answer in
// every run; their bounds would be passed by chance once in a million seeds.

#include <cmath>
#include <map>
#include <vector>

#include <snack/init/sample.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

namespace {

/// The value a chi-square variable of `freedom` degrees passes with probability 1e-6: Wilson and
/// Hilferty's approximation at the normal quantile 4.7534, with a tenth added for its error.
double chi_square_bound(double freedom) {
    const double spread = 2 / (9 * freedom);
    return 1.1 * freedom * std::pow(1 - spread + 4.7534 * std::sqrt(spread), 3);
}

/// Sum of (seen - expected)^2 / expected.
template <class Counts>
double chi_square(const Counts& counts, double expected) {
    double sum = 0;
    for (const double seen : counts) {
        sum += (seen - expected) * (seen - expected) / expected;
    }
    return sum;
}

}  // namespace

TEST_CASE("every subset of a small population comes equally often", "[init][sample]") {
    constexpr int rounds = 42000;
    const Size count = GENERATE(1, 2, 3, 4, 5, 6);
    std::map<std::vector<Size>, double> seen;

    for (std::uint64_t seed = 0; seed < rounds; ++seed) {
        const Buffer<Size> numbers = sample_without_replacement({.seed = seed, .stream = 3}, 7, count);
        ++seen[{numbers.begin(), numbers.end()}];
    }

    std::vector<double> counts;
    for (const auto& [subset, times] : seen) {
        counts.push_back(times);
    }
    const double subsets = std::round(std::tgamma(8) / (std::tgamma(1.0 + static_cast<double>(count)) *
                                                        std::tgamma(8.0 - static_cast<double>(count))));
    CAPTURE(count);
    CHECK(static_cast<double>(counts.size()) == subsets);
    CHECK(chi_square(counts, rounds / subsets) <= chi_square_bound(subsets - 1));
}

TEST_CASE("every number of a larger population comes equally often", "[init][sample]") {
    constexpr int rounds = 4000;
    const Size count = GENERATE(10, 50, 90);
    std::vector<double> counts(100);

    for (std::uint64_t seed = 0; seed < rounds; ++seed) {
        for (const Size number : sample_without_replacement({.seed = seed, .stream = 4}, 100, count)) {
            ++counts[static_cast<std::size_t>(number)];
        }
    }

    // Draws without replacement vary less than independent ones, by the share that is left out.
    const double left_out = 1 - static_cast<double>(count) / 100;
    CAPTURE(count);
    CHECK(chi_square(counts, rounds * static_cast<double>(count) / 100) / left_out <= chi_square_bound(99));
}

TEST_CASE("a large sample is spread evenly", "[init][sample]") {
    constexpr Size population = Size{1} << 40;
    constexpr Size count = 100000;
    std::vector<double> counts(64);

    for (const Size number : sample_without_replacement({.seed = 12}, population, count)) {
        ++counts[static_cast<std::size_t>(number / (population / 64))];
    }

    CHECK(chi_square(counts, count / 64.0) <= chi_square_bound(63));
}
