// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dense + mask baseline: with loops in the main test program, with OpenBLAS in snack_tests_blas.

#include <snack/backends/dense_mask.hpp>
#include <tests/conformance/suite.hpp>

SNACK_CONFORMANCE(snack::DenseMask);

TEST_CASE("the mask has a one for each entry and nothing else", "[backends]") {
    using namespace tests;
    snack::HostContext ctx({.threads = 1});
    const Pattern pattern = random_pattern("any", 12, 17, 60);
    Problem<snack::DenseMask, float> problem(ctx, pattern, 2, {}, Data::integers);

    problem.layer.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{});

    std::vector<float> want(12 * 17, 0.0f);
    snack::for_each_entry(*problem.layer.topology(), [&](Size, Index row, Index column) {
        want[static_cast<std::size_t>(snack::cell_index(row, column, 17))] = 1;
    });
    const auto mask = problem.layer.plan().mask();
    CHECK(std::vector<float>(mask.begin(), mask.end()) == want);
}
