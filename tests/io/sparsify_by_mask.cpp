// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A mask of any number type, or a topology, says which weights stay, whatever they are.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <snack/io/sparsify_by_mask.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using namespace snack::io;
using tests::text_of;

namespace {

const std::vector<float> weights = {1, 0, -0.0f, 4, 5, 6};
const DenseRows<float> weight(MatrixView<const float>(weights.data(), 2, 3));

template <class T>
DenseRows<T> mask_of(const std::vector<T>& mask) {
    return DenseRows<T>(MatrixView<const T>(mask.data(), 2, 3));
}

std::vector<Index> columns_of(const CooMatrix<float>& matrix) {
    const auto columns = matrix.topology()->columns();
    return {columns.begin(), columns.end()};
}

}  // namespace

TEMPLATE_TEST_CASE("a cell stays where the mask is not zero", "[io][sparsify]", float, double, std::uint8_t, int,
                   std::int64_t) {
    const std::vector<TestType> mask = {0, 1, TestType(-1), std::numeric_limits<TestType>::min(), 0, 7};

    const auto matrix = sparsify_by_mask<float>(weight, mask_of(mask));

    const bool lowest_is_zero = std::numeric_limits<TestType>::min() == 0;  // of an unsigned type
    CHECK(matrix.nnz() == (lowest_is_zero ? 3 : 4));
    CHECK(matrix.values()[0] == 0);
    CHECK(std::signbit(matrix.values()[1]));
    CHECK(matrix.values().back() == 6);
    CHECK(matrix.topology()->row_offsets()[1] == 2);
}

TEST_CASE("a mask's smallest number and NaN are not zero, its negative zero is", "[io][sparsify]") {
    const std::vector<double> mask = {std::numeric_limits<double>::denorm_min(), -0.0, 0,
                                      std::numeric_limits<double>::quiet_NaN(),  0,    0};

    CHECK(columns_of(sparsify_by_mask<float>(weight, mask_of(mask))) == std::vector<Index>{0, 0});
}

TEST_CASE("a mask of nothing and one of everything", "[io][sparsify]") {
    CHECK(sparsify_by_mask<float>(weight, mask_of(std::vector<int>(6, 0))).nnz() == 0);
    CHECK(sparsify_by_mask<float>(weight, mask_of(std::vector<int>(6, 1))).nnz() == 6);
}

TEST_CASE("weight and mask are read in step, however many rows at a time", "[io][sparsify]") {
    tests::Dice dice(1);
    std::vector<float> cells(13 * 7);
    std::vector<std::uint8_t> mask(cells.size());
    Size entries = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i] = static_cast<float>(i);
        mask[i] = dice.below(3) == 0;
        entries += mask[i];
    }
    SparsifyOptions options;
    options.buffer_bytes = GENERATE(0, 56, 120, 1000, 100000);

    const auto matrix =
        sparsify_by_mask<float>(DenseRows<float>(MatrixView<const float>(cells.data(), 13, 7)),
                                DenseRows<std::uint8_t>(MatrixView<const std::uint8_t>(mask.data(), 13, 7)), options);

    CHECK(matrix.nnz() == entries);
    for_each_entry(*matrix.topology(), [&](Size e, Index row, Index column) {
        CHECK(matrix.values()[static_cast<std::size_t>(e)] == static_cast<float>(row * 7 + column));
        CHECK(mask[static_cast<std::size_t>(row * 7 + column)] == 1);
    });
}

TEST_CASE("a mask of another shape is refused", "[io][sparsify]") {
    const std::vector<int> mask(6, 1);
    const DenseRows<int> transposed(MatrixView<const int>(mask.data(), 3, 2));

    CHECK(text_of<ShapeError>([&] { sparsify_by_mask<float>(weight, transposed); }) ==
          "sparsify_by_mask: the mask is 3 x 2, the weight 2 x 3");
}

TEST_CASE("a topology says which cells stay, and is shared", "[io][sparsify]") {
    const std::vector<Size> cells = {0, 1, 5};
    const TopologyPtr topology = Topology::from_cells(2, 3, cells);
    SparsifyOptions options;
    options.buffer_bytes = GENERATE(0, 1000);

    const auto matrix = sparsify_by_topology<float>(weight, topology, options);

    CHECK(matrix.topology() == topology);
    CHECK(std::vector<float>(matrix.values().begin(), matrix.values().end()) == std::vector<float>{1, 0, 6});
    CHECK(text_of<ShapeError>([&] { sparsify_by_topology<float>(weight, Topology::from_cells(3, 2, cells)); }) ==
          "sparsify_by_topology: the topology is 3 x 2, the weight 2 x 3");
    CHECK_THROWS_AS(sparsify_by_topology<float>(weight, nullptr), UnsupportedError);
}
