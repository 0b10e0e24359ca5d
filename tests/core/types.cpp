// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coordinates are 32 bits wide, their products 64.

#include <limits>

#include <snack/core/scalar.hpp>
#include <snack/core/types.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

TEST_CASE("a cell index passes 32 bits without wrapping", "[core][types]") {
    CHECK(cell_index(46340, 46340, 46341) == Size{46341} * 46341 - 1);
    CHECK(cell_index(65536, 0, 65536) == Size{1} << 32);
    CHECK(cell_index(32768, 0, 65536) == Size{1} << 31);
}

TEST_CASE("the last cell of the largest matrix has an index", "[core][types]") {
    const Index last = std::numeric_limits<Index>::max() - 1;

    const Size cell = cell_index(last, last, max_features);

    CHECK(cell == max_features * max_features - 1);
    CHECK(cell / max_features == last);
    CHECK(cell % max_features == last);
}

TEST_CASE("cells are numbered row by row", "[core][types]") {
    Size expected = 0;
    for (Index row = 0; row < 7; ++row) {
        for (Index column = 0; column < 5; ++column) {
            CHECK(cell_index(row, column, 5) == expected++);
        }
    }
}

TEMPLATE_TEST_CASE("the unit roundoff of a scalar is half the distance from 1 to the next number", "[core][scalar]",
                   float, double) {
    CHECK(ScalarTraits<TestType>::unit_roundoff == std::numeric_limits<TestType>::epsilon() / 2);
}

static_assert(Scalar<float> && Scalar<double>);
static_assert(!Scalar<int> && !Scalar<long double> && !Scalar<const float>);
