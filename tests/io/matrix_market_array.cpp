// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dense matrices in the array format: one number a line, column by column.

#include <string>
#include <vector>

#include <snack/io/matrix_market_array.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::text_of;
using tests::TextSource;

namespace {

template <class T = double>
std::vector<T> read(const std::string& text) {
    HostContext ctx({.threads = 1});
    const auto matrix = io::read_matrix_market_array<T>(ctx, TextSource(text));
    REQUIRE(matrix.values.size() == matrix.rows * matrix.columns);
    return {matrix.values.begin(), matrix.values.end()};
}

}  // namespace

TEMPLATE_TEST_CASE("a general array is read column by column", "[io][matrix_market]", float, double) {
    CHECK(read<TestType>("%%MatrixMarket matrix array real general\n% \n3 2\n1\n2\n3\n\n 4 \n-5e0\n% \n.5") ==
          std::vector<TestType>{1, 4, 2, -5, 3, 0.5});
}

TEST_CASE("symmetric arrays have the lower triangle", "[io][matrix_market]") {
    CHECK(read("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n") ==
          std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6});
    CHECK(read("%%MatrixMarket matrix array real symmetric\n1 1\n7") == std::vector<double>{7});
}

TEST_CASE("skew-symmetric arrays have the lower triangle without the diagonal", "[io][matrix_market]") {
    CHECK(read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n") ==
          std::vector<double>{0, -1, -2, 1, 0, -3, 2, 3, 0});
    CHECK(read("%%MatrixMarket matrix array real skew-symmetric\n1 1\n") == std::vector<double>{0});
    CHECK(read("%%MatrixMarket matrix array real skew-symmetric\n0 0\n").empty());
}

TEST_CASE("arrays without elements are read", "[io][matrix_market]") {
    CHECK(read("%%MatrixMarket matrix array real general\n0 5\n").empty());
    CHECK(read("%%MatrixMarket matrix array real general\n9223372036854775807 0").empty());
}

TEST_CASE("an array is read into memory of the caller, in either layout, between whose lines nothing is written",
          "[io][matrix_market]") {
    HostContext ctx({.threads = 1});
    const TextSource source("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
    std::vector<float> by_row(8, -1.0f);
    std::vector<float> by_column(9, -1.0f);

    io::read_matrix_market_array(ctx, source, MatrixView<float>(by_row.data(), 2, 3, Layout::row_major, 4));
    io::read_matrix_market_array(ctx, source, MatrixView<float>(by_column.data(), 2, 3, Layout::column_major, 3));

    CHECK(by_row == std::vector<float>{1, 3, 5, -1, 2, 4, 6, -1});
    CHECK(by_column == std::vector<float>{1, 2, -1, 3, 4, -1, 5, 6, -1});
}

TEST_CASE("a view of another extent is refused before it is written to", "[io][matrix_market]") {
    HostContext ctx({.threads = 1});
    std::vector<float> memory(6, -1.0f);
    const MatrixView<float> view(memory.data(), 3, 2);

    CHECK(text_of<ShapeError>([&] {
              io::read_matrix_market_array(
                  ctx, TextSource("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"), view);
          }) == "read_matrix_market_array: view of 3 x 2, text has 2 x 3");
    CHECK(memory == std::vector<float>(6, -1.0f));
}

TEST_CASE("the coordinate format is no array", "[io][matrix_market]") {
    REQUIRE_THROWS_AS(read("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"), UnsupportedError);
    CHECK(contains(text_of<UnsupportedError>([] { read("%%MatrixMarket matrix array complex general\n1 1\n1 1\n"); }),
                   "line 1: complex matrices are not supported"));
}
