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

TEMPLATE_TEST_CASE("what lies off the mask is multiplied away", "[backends]", float, double) {
    using namespace tests;
    using T = TestType;
    using snack::DenseMask;
    constexpr Size batch = 5;
    const Pattern pattern = random_pattern("any", 12, 17, 60);
    snack::HostContext ctx({.threads = 1});
    Problem<DenseMask, T> problem(ctx, pattern, batch, {}, Data::integers);
    const std::span<const T> values(problem.values);
    auto plan = DenseMask::make_plan<T>(ctx, pattern.topology(), snack::PlanUse::training);
    std::fill(plan.copied_weights().begin(), plan.copied_weights().end(), T{1});
    DenseMask::refresh<T>(ctx, plan, values);  // writes the cells of entries, and leaves the ones elsewhere
    Activations<T> y(batch, 12, {});
    std::vector<T> dw(problem.values.size());

    DenseMask::forward<T>(ctx, plan, values, problem.bias, std::as_const(problem.x).view(), y.view());
    DenseMask::weight_gradient<T>(ctx, plan, std::as_const(problem.x).view(), std::as_const(problem.dy).view(), dw, 0);

    using tests::conformance::all_agree;
    CHECK(all_agree(Data::integers, y, exact_forward(pattern, problem.values, problem.bias, problem.x, batch), batch,
                    12));
    CHECK(all_agree(Data::integers, std::span<const T>(dw),
                    exact_weight_gradient(pattern, problem.x, problem.dy, batch)));
    const T* gradient = ctx.scratch<T>(static_cast<int>(snack::detail::DenseSlot::matrix), 12 * 17).data();
    std::vector<T> left(gradient, gradient + 12 * 17);  // the dense gradient, from which dw was picked
    for (const Size cell : pattern.cells) {
        left[static_cast<std::size_t>(cell)] = 0;
    }
    CHECK(left == std::vector<T>(12 * 17, T{0}));
}
