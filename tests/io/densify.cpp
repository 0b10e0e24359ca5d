// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sparse weight that is written out in full has each value in its place, and zeros elsewhere.

#include <algorithm>
#include <bit>
#include <vector>

#include <snack/io/densify.hpp>
#include <snack/io/sparsify.hpp>
#include <tests/io/dense_weights.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using namespace snack::io;
using namespace tests;

TEMPLATE_TEST_CASE("what was kept is back in its place when the matrix is dense again", "[io][sparsify]", float,
                   double) {
    Dice dice(8);
    const auto dense = any_bits<TestType>(dice, 5, 7);
    const auto matrix = sparsify<TestType>(dense.source(), LargestMagnitudes{0.7});
    const Layout layout = GENERATE(Layout::row_major, Layout::column_major);
    std::vector<TestType> memory(7 * 9, TestType{-3});
    const MatrixView<TestType> to(memory.data(), 5, 7, layout, 9);

    densify(matrix, to);

    std::vector<Size> kept = largest(dense, range(0, 35), matrix.nnz());
    std::sort(kept.begin(), kept.end());
    std::vector<bool> written(memory.size());
    for (Size cell = 0; cell < 35; ++cell) {
        const bool stays = std::binary_search(kept.begin(), kept.end(), cell);
        const TestType expected = stays ? dense.cells[static_cast<std::size_t>(cell)] : TestType{0};
        CHECK(std::bit_cast<Bits<TestType>>(to(cell / 7, cell % 7)) == std::bit_cast<Bits<TestType>>(expected));
        written[static_cast<std::size_t>(to.offset(cell / 7, cell % 7))] = true;
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
        CHECK((written[i] || memory[i] == -3));
    }
}

TEST_CASE("a matrix goes into a view of its own shape only", "[io][sparsify]") {
    const Dense<float> dense{2, 3, {1, 2, 3, 4, 5, 6}};
    const auto matrix = sparsify<float>(dense.source(), LargestMagnitudes{0});
    float memory[6] = {};

    CHECK(text_of<ShapeError>([&] { densify(matrix, MatrixView<float>(memory, 3, 2)); }) ==
          "densify: the view is 3 x 2, the matrix 2 x 3");
    CHECK_THROWS_AS(densify<float>(*matrix.topology(), matrix.values().first(5), MatrixView<float>(memory, 2, 3)),
                    ShapeError);
    CHECK_THROWS_AS(densify(CooMatrix<float>(), MatrixView<float>()), UnsupportedError);
}
