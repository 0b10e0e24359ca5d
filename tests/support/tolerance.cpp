// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tolerances themselves: wide enough for any order of summation, narrow enough to notice one
// entry that is missing.

#include <tests/support/catch.hpp>
#include <tests/support/problem.hpp>
#include <tests/support/tolerance.hpp>

using namespace tests;

namespace {

/// Sums products e = 0, stride, 2 stride, ... and around again, leaving out `skipped`.
float sum_in_order(const std::vector<float>& w, const std::vector<float>& x, std::size_t stride, std::size_t skipped) {
    float sum = 0;
    for (std::size_t start = 0; start < stride; ++start) {
        for (std::size_t e = start; e < w.size(); e += stride) {
            sum += e == skipped ? 0.0f : w[e] * x[e];
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("the bounds hold for any order and catch one dropped entry") {
    for (const Size terms : {3, 16, 100, 1000}) {
        const auto w = numbers<float>(Data::random, 1, terms);
        const auto x = numbers<float>(Data::random, 2, terms);
        ExactSum exact;
        std::size_t largest = 0;
        for (std::size_t e = 0; e < w.size(); ++e) {
            exact.add(static_cast<long double>(w[e]) * x[e]);
            largest = std::fabs(w[e] * x[e]) > std::fabs(w[largest] * x[largest]) ? e : largest;
        }
        for (const std::size_t stride : {1u, 2u, 7u}) {
            CAPTURE(terms, stride);
            CHECK(within_random_bound(sum_in_order(w, x, stride, w.size()), exact));
            CHECK_FALSE(within_random_bound(sum_in_order(w, x, stride, largest), exact));
            CHECK_FALSE(within_random_bound(sum_in_order(w, x, stride, w.size() / 2), exact));
        }
    }
}

TEST_CASE("the strict bound alone would hide a dropped entry among many") {
    ExactSum exact;
    for (int e = 0; e < 65536; ++e) {
        exact.add(e % 2 == 0 ? 1 : -1);
    }

    CHECK(strict_bound<float>(exact) > 1);
    CHECK(random_bound<float>(exact) < 1);
}
