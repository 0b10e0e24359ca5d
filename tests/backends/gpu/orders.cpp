// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a backend promises the same bits, the order in which threads run does not show in them.

#include <snack/backends/gpu/coo_segmented.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/contract.hpp>

using namespace tests;

namespace {

template <class T>
conformance::Outcome<T> outcome_in(ThreadOrder order, Size batch, Layout layout) {
    using B = snack::CooSegmentedBackend<OrderedContext>;
    const KernelOrder in_order(order);
    OrderedContext ctx({.threads = 1});
    const Pattern pattern = random_pattern("any", 40, 60, 700);
    Problem<B, T> problem(ctx, pattern, batch, {layout}, Data::random);
    return conformance::run<T>(ctx, problem, {layout});
}

}  // namespace

TEMPLATE_TEST_CASE("the segmented backend gives the same bits in every order of threads", "[backends]", float, double) {
    for (const Size batch : {1, 3, 40}) {
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
            const auto want = outcome_in<TestType>(ThreadOrder::ascending, batch, layout);
            CHECK(outcome_in<TestType>(ThreadOrder::descending, batch, layout).same_bits(want));
            CHECK(outcome_in<TestType>(ThreadOrder::seeded, batch, layout).same_bits(want));
        }
    }
}
