// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dense baselines on tensor cores: exact where operands fit 11 bits, and otherwise within the bound
// that cutting each operand to 11 bits gives, which a single lost term would break.

#include <tuple>

#include <snack/backends/dense_mask.cuh>
#include <tests/conformance/products.hpp>
#include <tests/support/device_layer.cuh>

using namespace tests;

namespace {

using Tf32Backends = std::tuple<snack::CudaDenseTf32, snack::CudaDenseMaskTf32>;

/// Two inexact operands a product; tensor cores may truncate in each addition, twice the unit roundoff.
long double tf32_bound(const ExactSum& sum) {
    const long double u = snack::ScalarTraits<float>::unit_roundoff;
    const long double operand = snack::kernels::gpu::tf32_roundoff;
    return (operand * (2 + operand) + 2 * (static_cast<long double>(sum.terms) + 1) * u) * sum.magnitude;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("TF32 products are exact on small integers", "[gpu]", Tf32Backends) {
    conformance::forward_is_right<TestType, float>(Data::integers);
    conformance::backward_is_right<TestType, float>(Data::integers);
}

TEMPLATE_LIST_TEST_CASE("TF32 products are within the bound of their rounding", "[gpu]", Tf32Backends) {
    constexpr Size batch = 48;
    const Pattern pattern = random_pattern("any", 64, 96, 1500);
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        DeviceTestContext ctx;
        Problem<TestType, float> problem(ctx, pattern, batch, {layout}, Data::random);
        Activations<float> y(batch, pattern.out_features, {layout});
        const auto want = exact_forward(pattern, problem.values, problem.bias, problem.x, batch);

        problem.layer.forward(ctx, std::as_const(problem.x).view(), y.view());

        for (Size sample = 0; sample < batch; ++sample) {
            for (Size row = 0; row < pattern.out_features; ++row) {
                const ExactSum& sum = want[static_cast<std::size_t>(sample * pattern.out_features + row)];
                REQUIRE(std::fabs(y(sample, row) - sum.value) <= tf32_bound(sum));
                REQUIRE(tf32_bound(sum) < sum.magnitude / static_cast<long double>(sum.terms));
            }
        }
    }
}
