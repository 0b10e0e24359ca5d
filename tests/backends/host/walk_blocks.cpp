// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The host's input gradient by blocks: exact on integers wherever its operands lie, and alone the bits of
// both gradients.

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
        pattern_of("full", 100, 30, [](Size, Size) { return true; })};
}

}  // namespace

TEMPLATE_TEST_CASE("the input gradient by blocks is exact", "[backends][threads]", float, double) {
    snack::HostContext serial({.threads = 1});
    snack::HostContext parallel({.threads = 3});
    for (const Pattern& pattern : blocked_patterns()) {
        for (const Placement& placement : placement_battery()) {
            for (const Size batch : {32, 50, 97}) {
                Problem<snack::Host, TestType> problem(serial, pattern, batch, placement, Data::integers);
                const auto want = exact_input_gradient(pattern, problem.values, problem.dy, batch);
                REQUIRE(problem.layer.plan().blocks().count() > 0);
                for (snack::HostContext* ctx : {&serial, &parallel}) {
                    Activations<TestType> dx(batch, pattern.in_features, placement);

                    snack::Host::input_gradient<TestType>(*ctx, problem.layer.plan(),
                                                          std::as_const(problem.layer).values(),
                                                          std::as_const(problem.dy).view(), dx.view());

                    CAPTURE(pattern.name, batch, placement.padding);
                    REQUIRE(conformance::all_agree(Data::integers, dx, want, batch, pattern.in_features));
                    REQUIRE(dx.surroundings_intact());
                }
            }
        }
    }
}

TEST_CASE("the input gradient by blocks is the same bits alone, with dw, and at any number of threads",
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
