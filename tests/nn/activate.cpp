// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Activations for backends that do not apply them: element by element, and nothing besides.

#include <limits>

#include <snack/memory/host_context.hpp>
#include <snack/nn/activate.hpp>
#include <tests/support/activations.hpp>
#include <tests/support/catch.hpp>

using namespace tests;

TEST_CASE("relu makes negative elements zero and nothing else", "[nn][threads]") {
    snack::HostContext ctx({.threads = 2});
    for (const Placement& placement : placement_battery()) {
        Activations<float> y(3, 70, placement,
                             [](Size sample, Size feature) { return sample == 1 ? feature - 35 : 2; });
        y.view()(2, 5) = std::numeric_limits<float>::quiet_NaN();

        snack::detail::activate(ctx, y.view(), snack::Activation::relu);

        CHECK(y.surroundings_intact());
        CHECK(y(0, 0) == 2);
        CHECK(y(1, 34) == 0);
        CHECK(y(1, 0) == 0);
        CHECK(y(1, 69) == 34);
        CHECK(y(2, 5) != y(2, 5));
    }
}

TEST_CASE("no activation leaves all elements", "[nn]") {
    snack::HostContext ctx({.threads = 1});
    Activations<double> y(2, 3, {}, -1.5);

    snack::detail::activate(ctx, y.view(), snack::Activation::none);

    CHECK(y.same_bits(Activations<double>(2, 3, {}, -1.5)));
}
