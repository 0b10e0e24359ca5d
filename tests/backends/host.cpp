// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CPU backend.

#define SNACK_CONFORMANCE_SCALARS float, double
#include <snack/backends/host.hpp>
#include <tests/conformance/suite.hpp>

SNACK_CONFORMANCE(snack::Host);

TEST_CASE("where inputs are used often the host's forward bits do not depend on strides or layout", "[backends]") {
    using namespace tests;
    snack::HostContext ctx({.threads = 1});
    const Pattern pattern = random_pattern("wide", 40, 9000, 180000);
    const Size batch = 33;
    std::vector<Activations<float>> results;
    for (const Placement& placement : placement_battery()) {
        Problem<snack::Host, float> problem(ctx, pattern, batch, placement, Data::random);
        results.emplace_back(batch, pattern.out_features, placement);
        problem.layer.forward(ctx, problem.x.view(), results.back().view());
    }

    for (const Activations<float>& result : results) {
        CHECK(result.same_bits(results.front()));
    }
}

TEST_CASE("an input wider than the cache with few entries is summed in one pass", "[backends]") {
    using namespace tests;
    snack::HostContext ctx({.threads = 1});
    const Pattern pattern = random_pattern("wide and empty", 300, 20000, 500);
    Problem<snack::Host, double> problem(ctx, pattern, 40, {Layout::column_major}, Data::integers);
    Activations<double> y(40, 300, {Layout::column_major});

    problem.layer.forward(ctx, problem.x.view(), y.view());

    const auto want = exact_forward(pattern, problem.values, problem.bias, problem.x, 40);
    CHECK(problem.layer.plan().cuts().ranges() == 1);  // there is no cut that a second pass could begin at
    CHECK(tests::conformance::all_agree(Data::integers, y, want, 40, 300));
}

TEST_CASE("a weight gradient of views that differ in layout is refused", "[backends]") {
    using namespace tests;
    snack::HostContext ctx({.threads = 1});
    const Pattern pattern = random_pattern("few uses", 100, 300, 300);
    Problem<snack::Host, float> problem(ctx, pattern, 32, {Layout::row_major}, Data::integers);
    const Activations<float> x(32, 300, {Layout::column_major}, 1.0f);

    CHECK_THROWS_AS(snack::Host::weight_gradient<float>(ctx, problem.layer.plan(), x.view(),
                                                        std::as_const(problem.dy).view(), problem.layer.gradients(), 0),
                    snack::ShapeError);
}
