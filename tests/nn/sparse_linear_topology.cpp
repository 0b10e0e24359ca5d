// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A layer from a checked topology and arrays: the same as one from a matrix of the same entries.

#include <vector>

#include <tests/nn/layers.hpp>
#include <tests/support/problem.hpp>
#include <tests/support/throws.hpp>

using namespace tests;

TEST_CASE("a layer from a topology is that from a matrix of the same entries", "[nn]") {
    snack::HostContext ctx({.threads = 1});
    const Pattern pattern = random_pattern("any", 12, 9, 40);
    const auto values = numbers<float>(Data::random, 1, 40);
    const auto bias = numbers<float>(Data::random, 2, 12);
    const snack::CooMatrix<float> matrix = matrix_of(pattern, values);
    const HostLayer wanted(ctx, matrix, bias, {.seed = 4});

    const HostLayer layer(ctx, matrix.topology(), matrix.values(), bias, {.seed = 4});

    CHECK(layer.topology() == matrix.topology());
    CHECK(copy_of(layer.values()) == values);
    CHECK(copy_of(layer.bias()) == bias);
    CHECK(layer.gradients().size() == 40);
    CHECK(layer.memory().total() == wanted.memory().total());
    CHECK_FALSE(HostLayer(ctx, matrix.topology(), matrix.values()).has_bias());
}

TEST_CASE("a layer refuses a topology and arrays that do not fit", "[nn]") {
    using snack::ShapeError;
    snack::HostContext ctx({.threads = 1});
    const snack::TopologyPtr topology = random_pattern("any", 12, 9, 40).topology();
    const auto make = [&](const snack::TopologyPtr& from, std::size_t values, std::size_t bias) {
        const std::vector<float> numbers(50, 1);
        const std::span<const float> all(numbers);
        return HostLayer(ctx, from, all.first(values), all.first(bias));
    };

    CHECK(text_of<ShapeError>([&] { make(topology, 39, 0); }) == "SparseLinear: 39 values for 40 entries");
    CHECK(text_of<ShapeError>([&] { make(topology, 40, 9); }) ==
          "SparseLinear: bias has 9 elements, the matrix 12 rows");
    CHECK_THROWS_AS(make(nullptr, 40, 0), snack::UnsupportedError);
    CHECK_NOTHROW(make(topology, 40, 12));
}
