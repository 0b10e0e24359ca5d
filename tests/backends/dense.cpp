// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dense baseline: with loops in the main test program, with OpenBLAS in snack_tests_blas.

#include <snack/backends/dense.hpp>
#include <tests/conformance/suite.hpp>

SNACK_CONFORMANCE(snack::Dense);

TEMPLATE_TEST_CASE("a full dense layer trains on its flat arrays, without a copy", "[backends]", float, double) {
    using namespace tests;
    using T = TestType;
    const Pattern pattern = pattern_of("full", 60, 80, [](Size, Size) { return true; });
    snack::HostContext ctx({.threads = 1});
    Problem<snack::Dense, T> problem(ctx, pattern, 9, {Layout::column_major}, Data::integers);
    auto& layer = problem.layer;
    Activations<T> y(9, 60, {Layout::column_major});
    Activations<T> dx(9, 80, {Layout::column_major});

    layer.values().data()[7] = problem.values[7] = 3;  // read where it lies: nobody calls values_changed
    layer.forward(ctx, problem.x.view(), y.view());
    layer.backward(ctx, problem.x.view(), problem.dy.view(), dx.view());

    CHECK(layer.memory().plan == 0);
    CHECK(ctx.scratch_bytes() == 9 * static_cast<Size>(sizeof(T)));  // a one for each sample
    using tests::conformance::all_agree;
    CHECK(all_agree(Data::integers, y, exact_forward(pattern, problem.values, problem.bias, problem.x, 9), 9, 60));
    CHECK(all_agree(Data::integers, dx, exact_input_gradient(pattern, problem.values, problem.dy, 9), 9, 80));
    CHECK(all_agree(Data::integers, std::as_const(layer).gradients(),
                    exact_weight_gradient(pattern, problem.x, problem.dy, 9)));
}
