// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every algorithm of cuSPARSE that a backend can be made with gives right results in both layouts.

#include <tuple>

#include <snack/backends/cusparse.cuh>
#include <tests/conformance/contract.hpp>
#include <tests/conformance/products.hpp>
#include <tests/support/device_layer.cuh>

using namespace tests;

namespace {

template <snack::CuSparseAlgorithm... Algorithms>
using BackendsOf = std::tuple<snack::CuSparseBackend<Algorithms>...>;
using enum snack::CuSparseAlgorithm;
using EveryAlgorithm = BackendsOf<csr_default, csr_1, csr_2, csr_3, coo_1, coo_2, coo_3, coo_4>;
using WithoutPadding = BackendsOf<csr_2, coo_default, coo_1, coo_2, coo_3, coo_4>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("every algorithm of cuSPARSE is right", "[gpu]", EveryAlgorithm) {
    conformance::forward_is_right<TestType, float>(Data::integers);
    conformance::forward_is_right<TestType, double>(Data::random);
    conformance::backward_is_right<TestType, float>(Data::integers);
    conformance::backward_is_right<TestType, double>(Data::random);
}

TEMPLATE_LIST_TEST_CASE("most algorithms of cuSPARSE keep absent entries apart from zeros", "[gpu]", WithoutPadding) {
    conformance::absent_is_not_zero<TestType, float>();
    conformance::absent_is_not_zero<TestType, double>();
}
