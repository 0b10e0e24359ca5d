// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The host's input gradient by blocks: exact on integers wherever its operands lie, and the bits of the walk by rows.

#include <utility>
#include <vector>

#include <snack/backends/host.hpp>
#include <tests/conformance/products.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>
#include <tests/support/problem.hpp>

using namespace tests;

namespace {

std::vector<Pattern> blocked_patterns() {
    return {
        random_pattern("blocks and ranges", 600, 500, 20000),
        pattern_of("skewed", 300, 400, [](Size row, Size column) { return column < 20 || (row + column) % 50 == 0; }),
        pattern_of("half", 100, 60, [](Size row, Size column) { return (row + column) % 2 == 0; })};
}

}  // namespace

TEMPLATE_TEST_CASE("the input gradient by blocks is exact", "[backends][threads]", float, double) {
    snack::HostContext serial({.threads = 1});
    snack::HostContext parallel({.threads = 3});
    for (const Pattern& pattern : blocked_patterns()) {
        for (const Placement& placement : placement_battery()) {
            for (const Size batch : {16, 31, 32, 35, 40, 45, 50, 97}) {
                Problem<snack::Host, TestType> problem(serial, pattern, batch, placement, Data::integers);
                const auto want = exact_input_gradient(pattern, problem.values, problem.dy, batch);
                for (snack::HostContext* ctx : {&serial, &parallel}) {
                    Activations<TestType> dx(batch, pattern.in_features, placement);
                    CAPTURE(pattern.name, batch, placement.padding);
                    REQUIRE(snack::detail::host::takes_blocks(problem.layer.plan(), dx.view()) ==
                            (batch >= (sizeof(TestType) == 8 ? 16 : 32)));

                    snack::Host::input_gradient<TestType>(*ctx, problem.layer.plan(),
                                                          std::as_const(problem.layer).values(),
                                                          std::as_const(problem.dy).view(), dx.view());

                    REQUIRE(conformance::all_agree(Data::integers, dx, want, batch, pattern.in_features));
                    REQUIRE(dx.surroundings_intact());
                }
            }
        }
    }
}

TEST_CASE("the input gradient by blocks is the same bits with dw, and at any number of threads",
          "[backends][threads]") {
    const Pattern pattern = random_pattern("blocks and ranges", 600, 500, 20000);
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        snack::HostContext serial({.threads = 1});
        Problem<snack::Host, float> problem(serial, pattern, 70, {layout}, Data::random);
        Activations<float> both(70, pattern.in_features, {layout});
        problem.layer.backward(serial, problem.x.view(), problem.dy.view(), both.view());
        for (const int threads : {1, 2, 5}) {
            snack::HostContext ctx({.threads = threads});
            Activations<float> alone(70, pattern.in_features, {layout});

            snack::Host::input_gradient<float>(ctx, problem.layer.plan(), std::as_const(problem.layer).values(),
                                               std::as_const(problem.dy).view(), alone.view());

            CAPTURE(threads);
            CHECK(alone.same_bits(both));
        }
    }
}

TEMPLATE_TEST_CASE("the input gradient by blocks is the bits of the walk by rows", "[backends][threads]", float,
                   double) {
    constexpr Size batch = sizeof(TestType) == 8 ? 16 : 32;
    constexpr Size half = batch / 2;
    snack::HostContext ctx({.threads = 2});
    const Pattern pattern = random_pattern("blocks and ranges", 600, 500, 20000);
    Problem<snack::Host, TestType> problem(ctx, pattern, batch, {Layout::column_major}, Data::random);
    Activations<TestType> whole(batch, pattern.in_features, {Layout::column_major});
    Activations<TestType> halves(batch, pattern.in_features, {Layout::column_major});
    const auto gradient = [&](auto dy, auto dx) {
        snack::Host::input_gradient<TestType>(ctx, problem.layer.plan(), std::as_const(problem.layer).values(), dy, dx);
    };
    const auto part = [](auto view, Size first) {
        return decltype(view)(view.data() + first, half, view.features(), Layout::column_major, view.stride());
    };
    REQUIRE(snack::detail::host::takes_blocks(problem.layer.plan(), whole.view()));
    REQUIRE_FALSE(snack::detail::host::takes_blocks(problem.layer.plan(), part(halves.view(), 0)));

    gradient(std::as_const(problem.dy).view(), whole.view());
    gradient(part(std::as_const(problem.dy).view(), 0), part(halves.view(), 0));
    gradient(part(std::as_const(problem.dy).view(), half), part(halves.view(), half));

    CHECK(whole.same_bits(halves));
}
