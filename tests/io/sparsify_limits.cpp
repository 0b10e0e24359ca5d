// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What pruning refuses, how often it reads, and what it holds.

#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include <snack/io/sparsify.hpp>
#include <tests/io/dense_weights.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using namespace snack::io;
using namespace tests;

TEST_CASE("a layer without cells becomes a sparse one without entries", "[io][sparsify]") {
    const auto [rows, columns] = GENERATE(table<Size, Size>({{0, 5}, {5, 0}, {0, 0}}));
    const Dense<float> dense{rows, columns, {}};
    const auto is_empty = [&, r = rows, c = columns](const CooMatrix<float>& matrix) {
        return matrix.nnz() == 0 && matrix.out_features() == r && matrix.in_features() == c;
    };

    CHECK(is_empty(sparsify<float>(dense.source(), LargestMagnitudes{0.5})));
    CHECK(is_empty(sparsify<float>(dense.source(), LargestOfEachRow{0.5})));
    CHECK(is_empty(sparsify<float>(dense.source(), LargestOfGroups{1, 2})));
    CHECK(is_empty(sparsify<float>(dense.source(), MagnitudesAbove{0})));
}

TEST_CASE("rules without a meaning are refused", "[io][sparsify]") {
    const Dense<float> dense{1, 2, {1, 2}};
    const auto source = dense.source();
    const double none = std::numeric_limits<double>::quiet_NaN();

    CHECK(text_of<ArgumentError>([&] { sparsify<float>(source, LargestMagnitudes{1.5}); }) ==
          "sparsify: sparsity 1.5 is not between 0 and 1");
    CHECK_THROWS_AS(sparsify<float>(source, LargestMagnitudes{none}), ArgumentError);
    CHECK_THROWS_AS(sparsify<float>(source, LargestOfEachRow{-0.1}), ArgumentError);
    CHECK(text_of<ArgumentError>([&] { sparsify<float>(source, MagnitudesAbove{-1}); }) ==
          "sparsify: threshold -1 is not 0 or more");
    CHECK_THROWS_AS(sparsify<float>(source, MagnitudesAbove{none}), ArgumentError);
    CHECK(text_of<ArgumentError>([&] {
              sparsify<float>(source, LargestOfGroups{5, 4});
          }) == "sparsify: cannot keep 5 of every 4");
    CHECK_THROWS_AS(sparsify<float>(source, LargestOfGroups{-1, 4}), ArgumentError);
    CHECK_THROWS_AS(sparsify<float>(source, LargestOfGroups{0, 0}), ArgumentError);
}

namespace {

/// Says another number at each reading.
struct Restless {
    mutable float number = 0;
    Size rows() const { return 2; }
    Size columns() const { return 3; }
    void read_rows(Size, Size, std::span<float> to) const {
        for (float& element : to) {
            element = number;
        }
        number = number == 0 ? 5.0f : 0.0f;
    }
};

/// Too wide for 32 bits; nobody may read it.
struct Wide {
    Size rows() const { return 1; }
    Size columns() const { return Size{1} << 31; }
    void read_rows(Size, Size, std::span<float>) const { FAIL("read"); }
};

}  // namespace

TEST_CASE("a weight that changes between two readings is an error", "[io][sparsify]") {
    CHECK(text_of<FileError>([] { sparsify<float>(Restless{}, LargestMagnitudes{0.5}); }) ==
          "sparsify: the weights changed while they were read");
    CHECK_THROWS_AS(sparsify<float>(Restless{}, MagnitudesAbove{1}), FileError);
}

TEST_CASE("a weight wider than a coordinate is refused before it is read", "[io][sparsify]") {
    CHECK_THROWS_AS(sparsify<float>(Wide{}, LargestMagnitudes{0.5}), ShapeError);
    CHECK_THROWS_AS(sparsify<float>(Wide{}, LargestOfEachRow{0.5}), ShapeError);
    CHECK_THROWS_AS(sparsify<float>(Wide{}, LargestOfGroups{1, 2}), ShapeError);
    CHECK_THROWS_AS(sparsify<float>(Wide{}, MagnitudesAbove{1}), ShapeError);
}

TEST_CASE("a small layer takes a small buffer", "[io][sparsify]") {
    const Dense<float> dense{2, 3, {1, 2, 3, 4, 5, 6}};
    CountingAllocator allocator;
    SparsifyOptions options;
    options.allocator = &allocator;

    sparsify<float>(dense.source(), LargestMagnitudes{0.5}, options);

    CHECK(allocator.peak_bytes < 200);
}

namespace {

/// Counts how many rows are read.
template <class T>
struct Counted {
    DenseRows<T> source;
    Size* read;

    Size rows() const { return source.rows(); }
    Size columns() const { return source.columns(); }
    void read_rows(Size first, Size count, std::span<T> to) const {
        *read += count;
        source.read_rows(first, count, to);
    }
};

}  // namespace

TEMPLATE_TEST_CASE("a layer is read as often as it is said", "[io][sparsify]", float, double) {
    Dice dice(10);
    const auto dense = any_bits<TestType>(dice, 300, 400);
    const auto passes = [&](const auto& rule) {
        Size read = 0;
        sparsify<TestType>(Counted<TestType>{dense.source(), &read}, rule);
        return read / 300;
    };

    CHECK(passes(LargestMagnitudes{0.9}) <= (sizeof(TestType) == 4 ? 3 : 5));
    CHECK(passes(LargestMagnitudes{0}) <= 2);
    CHECK(passes(LargestMagnitudes{1}) == 1);
    CHECK(passes(LargestOfEachRow{0.9}) == 1);
    CHECK(passes(LargestOfGroups{2, 4}) == 1);
    CHECK(passes(MagnitudesAbove{1}) == 2);
}

TEST_CASE("pruning takes memory for the result and a buffer, not for the weight", "[io][sparsify]") {
    Dice dice(7);
    const auto dense = any_bits<float>(dice, 1000, 1000);
    CountingAllocator allocator;
    SparsifyOptions options = reading(16 * 1024);
    options.allocator = &allocator;

    const auto matrix = sparsify<float>(dense.source(), LargestMagnitudes{0.95}, options);

    CHECK(matrix.nnz() == 50000);
    CHECK(allocator.live_bytes == 50000 * 8 + 1001 * 8);
    CHECK(allocator.peak_bytes <= 50000 * 16 + 1001 * 8 + 16 * 1024 + 512 * 1024);
}
