// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A layer, or several under one threshold, keep exactly the weights that a sort by magnitude would. However the weight
// is held and however many rows are read at a time, the result is the same.

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <snack/io/sparsify.hpp>
#include <tests/io/dense_weights.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using namespace snack::io;
using namespace tests;

TEMPLATE_TEST_CASE("a layer keeps what a sort by magnitude would, at every count", "[io][sparsify]", float, double) {
    Dice dice(1);
    for (int round = 0; round < 12; ++round) {
        const Size rows = 1 + dice.below(7);
        const Size columns = 1 + dice.below(9);
        const auto dense =
            round % 2 == 0 ? awkward<TestType>(dice, rows, columns) : any_bits<TestType>(dice, rows, columns);
        const Size cells = rows * columns;
        for (Size count = 0; count <= cells; ++count) {
            CAPTURE(rows, columns, count);
            const double sparsity = 1 - static_cast<double>(count) / static_cast<double>(cells);

            const auto matrix = sparsify<TestType>(dense.source(), LargestMagnitudes{sparsity}, reading(round * 20));

            REQUIRE(bits_of_entries(matrix) == bits_at(dense, largest(dense, range(0, cells), count)));
        }
    }
}

TEST_CASE("a small layer is pruned by hand", "[io][sparsify]") {
    const Dense<float> dense{2, 3, {0.5f, -3, 1, -0.0f, 2, -1}};

    const auto matrix = sparsify<float>(dense.source(), LargestMagnitudes{.sparsity = 0.5});

    CHECK(matrix.out_features() == 2);
    CHECK(matrix.in_features() == 3);
    CHECK(bits_of_entries(matrix) == bits_at<float>(dense, {1, 2, 4}));  // of 1 and -1 the lower cell stays
}

TEMPLATE_TEST_CASE("of equal magnitudes the lower cells stay", "[io][sparsify]", float, double) {
    const Dense<TestType> dense{4, 5, std::vector<TestType>(20, TestType{-7})};
    for (Size count = 0; count <= 20; ++count) {
        const double sparsity = 1 - static_cast<double>(count) / 20;
        CHECK(bits_of_entries(sparsify<TestType>(dense.source(), LargestMagnitudes{sparsity})) ==
              bits_at(dense, range(0, count)));
    }
}

TEST_CASE("zeros stay where too few others are there, with their sign", "[io][sparsify]") {
    const Dense<float> dense{1, 4, {std::numeric_limits<float>::quiet_NaN(), -0.0f, 1, 0}};

    const auto matrix = sparsify<float>(dense.source(), LargestMagnitudes{.sparsity = 0.25});

    CHECK(bits_of_entries(matrix) == bits_at<float>(dense, {1, 2, 3}));
}

TEST_CASE("the number kept is that of a layer made at the sparsity", "[io][sparsify]") {
    const Dense<float> dense{20, 50, std::vector<float>(1000, 1.0f)};
    const auto kept = [&](double sparsity) {
        return sparsify<float>(dense.source(), LargestMagnitudes{sparsity}).nnz();
    };

    CHECK(kept(0) == 1000);
    CHECK(kept(0.8) == 200);
    CHECK(kept(0.95) == 50);
    CHECK(kept(0.9994) == 1);
    CHECK(kept(0.9996) == 0);
    CHECK(kept(1) == 0);
}

TEMPLATE_TEST_CASE("the layout of the weight and its padding do not matter", "[io][sparsify]", float, double) {
    Dice dice(2);
    const auto dense = any_bits<TestType>(dice, 6, 9);
    std::vector<TestType> padded(6 * 11, std::numeric_limits<TestType>::max());
    std::vector<TestType> transposed(9 * 8, std::numeric_limits<TestType>::max());
    const MatrixView<TestType> rows(padded.data(), 6, 9, Layout::row_major, 11);
    const MatrixView<TestType> columns(transposed.data(), 6, 9, Layout::column_major, 8);
    for (Size row = 0; row < 6; ++row) {
        for (Size column = 0; column < 9; ++column) {
            rows(row, column) = columns(row, column) = dense.view()(row, column);
        }
    }
    const Size buffer = GENERATE(0, 50, 100, 200, 1000);
    const LargestMagnitudes rule{0.6};
    const auto expected = bits_at(dense, largest(dense, range(0, 54), 22));

    CHECK(bits_of_entries(sparsify<TestType>(dense.source(), rule, reading(buffer))) == expected);
    CHECK(bits_of_entries(sparsify<TestType>(DenseRows(rows), rule, reading(buffer))) == expected);
    CHECK(bits_of_entries(sparsify<TestType>(DenseRows(columns), rule, reading(buffer))) == expected);
}

TEMPLATE_TEST_CASE("layers pruned together share one threshold, and the count is exact", "[io][sparsify]", float,
                   double) {
    Dice dice(3);
    for (int round = 0; round < 10; ++round) {
        std::vector<Dense<TestType>> layers;
        Dense<TestType> joined{1, 0, {}};  // one after the other: ties go by layer, then by cell
        std::vector<DenseRows<TestType>> sources;
        sources.reserve(4);
        for (Size i = 0; i < 4; ++i) {
            const Size rows = dice.below(5);
            layers.push_back(awkward<TestType>(dice, rows, 1 + dice.below(6)));
            joined.cells.insert(joined.cells.end(), layers.back().cells.begin(), layers.back().cells.end());
        }
        joined.columns = static_cast<Size>(joined.cells.size());
        for (const auto& layer : layers) {
            sources.push_back(layer.source());
        }
        for (Size count = 0; count <= joined.columns; ++count) {
            const double sparsity =
                joined.columns == 0 ? 0 : 1 - static_cast<double>(count) / static_cast<double>(joined.columns);

            const auto matrices = sparsify_together<TestType>(std::span<const DenseRows<TestType>>(sources),
                                                              LargestMagnitudes{sparsity}, reading(30));

            REQUIRE(matrices.size() == 4);
            const std::vector<Size> kept = largest(joined, range(0, joined.columns), count);
            Size before = 0;
            for (std::size_t i = 0; i < layers.size(); ++i) {
                const auto cells = static_cast<Size>(layers[i].cells.size());
                std::vector<Size> own;
                for (const Size cell : kept) {
                    if (cell >= before && cell < before + cells) {
                        own.push_back(cell - before);
                    }
                }
                REQUIRE(bits_of_entries(matrices[i]) == bits_at(layers[i], own));
                before += cells;
            }
        }
    }
}

TEST_CASE("no layers are pruned to none", "[io][sparsify]") {
    CHECK(sparsify_together<float>(std::span<const DenseRows<float>>(), LargestMagnitudes{0.5}).empty());
}

TEMPLATE_TEST_CASE("a layer too large to hold its ranks is pruned as a small one", "[io][sparsify]", float, double) {
    Dice dice(9);
    Dense<TestType> dense = any_bits<TestType>(dice, 300, 400);
    for (std::size_t i = 0; i < dense.cells.size(); i += 3) {
        dense.cells[i] = static_cast<TestType>(i % 2);  // many are equal
    }
    REQUIRE(120000 > io::detail::few_ranks);
    for (const Size count : {0, 1, 500, 30000, 60000, 80001, 110000, 119999, 120000}) {
        CAPTURE(count);
        const LargestMagnitudes rule{1 - static_cast<double>(count) / 120000};
        CHECK(bits_of_entries(sparsify<TestType>(dense.source(), rule)) ==
              bits_at(dense, largest(dense, range(0, 120000), count)));
    }
}
