// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A view finds every element in both layouts, at any stride, and refuses what it cannot hold.

#include <limits>
#include <type_traits>
#include <vector>

#include <snack/core/matrix_view.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::text_of;

TEST_CASE("a column-major view of part of a matrix honours the stride", "[core][matrix_view]") {
    std::vector<int> parent(15);
    for (int feature = 0; feature < 3; ++feature) {
        for (int column = 0; column < 5; ++column) {
            parent[static_cast<std::size_t>(feature * 5 + column)] = 10 * feature + column;
        }
    }

    const MatrixView<int> view(parent.data() + 1, 2, 3, Layout::column_major, 5);

    for (Size sample = 0; sample < 2; ++sample) {
        for (Size feature = 0; feature < 3; ++feature) {
            CHECK(view(sample, feature) == 10 * feature + 1 + sample);
        }
    }
}

TEST_CASE("a row-major view of part of a matrix honours the stride", "[core][matrix_view]") {
    std::vector<int> parent(15);
    for (int sample = 0; sample < 3; ++sample) {
        for (int column = 0; column < 5; ++column) {
            parent[static_cast<std::size_t>(sample * 5 + column)] = 10 * sample + column;
        }
    }

    const MatrixView<int> view(parent.data() + 2, 3, 2, Layout::row_major, 5);

    for (Size sample = 0; sample < 3; ++sample) {
        for (Size feature = 0; feature < 2; ++feature) {
            CHECK(view(sample, feature) == 10 * sample + 2 + feature);
        }
    }
}

TEST_CASE("without a stride the lines of a view follow each other", "[core][matrix_view]") {
    float data[6] = {};

    const MatrixView<float> rows(data, 2, 3);
    const MatrixView<float> columns(data, 2, 3, Layout::column_major);

    CHECK(rows.layout() == Layout::row_major);
    CHECK(rows.stride() == 3);
    CHECK(rows.sample_stride() == 3);
    CHECK(rows.feature_stride() == 1);
    CHECK(columns.stride() == 2);
    CHECK(columns.sample_stride() == 1);
    CHECK(columns.feature_stride() == 2);
}

TEST_CASE("the two layouts of one matrix are each other's transpose", "[core][matrix_view]") {
    float data[35] = {};
    const MatrixView<float> rows(data, 5, 7, Layout::row_major);
    const MatrixView<float> columns(data, 7, 5, Layout::column_major);

    for (Size a = 0; a < 5; ++a) {
        for (Size b = 0; b < 7; ++b) {
            CHECK(&rows(a, b) == &columns(b, a));
        }
    }
}

TEST_CASE("offsets are formed in 64 bits", "[core][matrix_view]") {
    const Size stride = (Size{1} << 31) + 8;
    float element = 0;

    const MatrixView<float> columns(&element, 1, 3, Layout::column_major, stride);
    const MatrixView<float> rows(&element, 3, 1, Layout::row_major, stride);

    CHECK(columns.offset(0, 1) == 2147483656);
    CHECK(columns.offset(0, 2) == 4294967312);
    CHECK(rows.offset(1, 0) == 2147483656);
    CHECK(rows.offset(2, 0) == 4294967312);
}

TEST_CASE("a view of values becomes a view of constants", "[core][matrix_view]") {
    double data[20] = {};
    const MatrixView<double> view(data, 2, 3, Layout::column_major, 4);

    const MatrixView<const double> constant = view;

    CHECK(constant.data() == data);
    CHECK(constant.batch() == 2);
    CHECK(constant.features() == 3);
    CHECK(constant.stride() == 4);
    CHECK(constant.layout() == Layout::column_major);
}

TEST_CASE("a view without elements needs no memory", "[core][matrix_view]") {
    CHECK(MatrixView<float>().empty());
    CHECK(MatrixView<float>(nullptr, 0, 5).empty());
    CHECK(MatrixView<float>(nullptr, 5, 0).empty());
    CHECK(MatrixView<float>(nullptr, 0, 0, Layout::column_major).empty());
    float element = 0;
    CHECK_FALSE(MatrixView<float>(&element, 1, 1).empty());
}

TEST_CASE("a view refuses negative extents", "[core][matrix_view]") {
    float data[4] = {};
    const Layout layout = GENERATE(Layout::row_major, Layout::column_major);

    CHECK(contains(text_of<ShapeError>([&] { MatrixView<float>(data, -1, 4, layout); }), "-1 x 4"));
    CHECK(contains(text_of<ShapeError>([&] { MatrixView<float>(data, 4, -1, layout); }), "4 x -1"));
    REQUIRE_THROWS_AS(MatrixView<float>(data, std::numeric_limits<Size>::min(), 0, layout), ShapeError);
}

TEST_CASE("a view refuses a stride shorter than a line", "[core][matrix_view]") {
    float data[20] = {};

    const auto rows = [&] { MatrixView<float>(data, 5, 3, Layout::row_major, 2); };
    const auto columns = [&] { MatrixView<float>(data, 5, 3, Layout::column_major, 4); };

    CHECK(text_of<ShapeError>(rows) == "MatrixView: stride 2 is shorter than a line of 3 elements");
    CHECK(text_of<ShapeError>(columns) == "MatrixView: stride 4 is shorter than a line of 5 elements");
    REQUIRE_THROWS_AS(MatrixView<float>(data, 1, 1, Layout::row_major, -8), ShapeError);
}

TEST_CASE("a view of elements refuses a null pointer", "[core][matrix_view]") {
    CHECK(contains(text_of<ShapeError>([] { MatrixView<float>(nullptr, 2, 3); }), "null data for 2 x 3"));
}

TEST_CASE("a view refuses an extent whose offsets do not fit 64 bits", "[core][matrix_view]") {
    float element = 0;
    const Size large = Size{1} << 32;

    REQUIRE_THROWS_AS(MatrixView<float>(&element, large, large), ShapeError);
    REQUIRE_THROWS_AS(MatrixView<float>(&element, large, large, Layout::column_major), ShapeError);
    REQUIRE_THROWS_AS(MatrixView<float>(&element, large, 1, Layout::row_major, large), ShapeError);
    REQUIRE_NOTHROW(MatrixView<float>(&element, large, large / 2 - 1));
}

static_assert(std::is_trivially_copyable_v<MatrixView<float>>);
static_assert(!std::is_convertible_v<MatrixView<const float>, MatrixView<float>>);
static_assert(!std::is_convertible_v<MatrixView<double>, MatrixView<const float>>);

struct OtherSpace {};
static_assert(!std::is_convertible_v<MatrixView<float, OtherSpace>, MatrixView<float>>);
