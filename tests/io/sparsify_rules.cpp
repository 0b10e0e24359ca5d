// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The other rules: each row, each group of neighbours, and what is above a threshold.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <snack/io/sparsify.hpp>
#include <tests/io/dense_weights.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using namespace snack::io;
using namespace tests;

TEMPLATE_TEST_CASE("each row keeps its share", "[io][sparsify]", float, double) {
    Dice dice(4);
    const Size buffer = GENERATE(0, 100, 10000);
    for (int round = 0; round < 10; ++round) {
        const Size columns = 1 + dice.below(12);
        const auto dense = awkward<TestType>(dice, 5, columns);
        for (Size count = 0; count <= columns; ++count) {
            std::vector<Size> cells;
            for (Size row = 0; row < 5; ++row) {
                const auto own = largest(dense, range(row * columns, (row + 1) * columns), count);
                cells.insert(cells.end(), own.begin(), own.end());
            }

            const auto matrix = sparsify<TestType>(
                dense.source(), LargestOfEachRow{1 - static_cast<double>(count) / static_cast<double>(columns)},
                reading(buffer));

            REQUIRE(bits_of_entries(matrix) == bits_at(dense, cells));
        }
    }
}

TEMPLATE_TEST_CASE("each group of a row keeps as many, what is left over too", "[io][sparsify]", float, double) {
    Dice dice(5);
    for (int round = 0; round < 40; ++round) {
        const Size columns = 1 + dice.below(14);
        const Size group = 1 + dice.below(9);
        const Size kept = dice.below(group + 1);
        const auto dense = awkward<TestType>(dice, 3, columns);
        std::vector<Size> cells;
        for (Size row = 0; row < 3; ++row) {
            for (Size begin = 0; begin < columns; begin += group) {
                const Size end = std::min(begin + group, columns);
                const auto own =
                    largest(dense, range(row * columns + begin, row * columns + end), std::min(kept, end - begin));
                cells.insert(cells.end(), own.begin(), own.end());
            }
        }
        CAPTURE(columns, group, kept);

        const auto matrix =
            sparsify<TestType>(dense.source(), LargestOfGroups{.kept = kept, .group = group}, reading(64));

        REQUIRE(bits_of_entries(matrix) == bits_at(dense, cells));
    }
}

TEST_CASE("2:4 sparsity keeps two of four", "[io][sparsify]") {
    const Dense<float> dense{1, 10, {1, 4, 3, -2, 5, 5, 5, 5, 0, -1}};

    const auto matrix = sparsify<float>(dense.source(), LargestOfGroups{.kept = 2, .group = 4});

    CHECK(bits_of_entries(matrix) == bits_at<float>(dense, {1, 2, 4, 5, 8, 9}));
}

TEMPLATE_TEST_CASE("what is above a threshold stays", "[io][sparsify]", float, double) {
    using Limits = std::numeric_limits<double>;
    Dice dice(6);
    const auto dense = awkward<TestType>(dice, 12, 11);
    const double threshold =
        GENERATE(0.0, -0.0, 1e-320, 1e-46, 0.5, 0.75, 1.0, 1.0000000001, 2.0, 3.0, 3.4028234663852886e38, 1e39,
                 Limits::max(), Limits::infinity(), static_cast<double>(std::numeric_limits<float>::denorm_min()));
    std::vector<Size> cells;
    for (Size cell = 0; cell < 132; ++cell) {
        if (std::fabs(static_cast<double>(dense.cells[static_cast<std::size_t>(cell)])) > threshold) {
            cells.push_back(cell);
        }
    }

    const auto matrix = sparsify<TestType>(dense.source(), MagnitudesAbove{threshold}, reading(100));

    CHECK(bits_of_entries(matrix) == bits_at(dense, cells));
}

TEST_CASE("a threshold between two floats parts them", "[io][sparsify]") {
    const float next = std::nextafter(1.0f, 2.0f);
    const Dense<float> dense{1, 2, {1, -next}};
    const auto kept = [&](double threshold) {
        return sparsify<float>(dense.source(), MagnitudesAbove{threshold}).nnz();
    };

    CHECK(kept(1 - 1e-12) == 2);
    CHECK(kept(1) == 1);
    CHECK(kept(1 + 1e-12) == 1);
    CHECK(kept(static_cast<double>(next) - 1e-12) == 1);
    CHECK(kept(static_cast<double>(next)) == 0);
    CHECK(kept(static_cast<double>(next) + 1e-12) == 0);
}
