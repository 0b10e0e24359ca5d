// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coordinates in any order become the one canonical order, and a permutation says what went where.

#include <algorithm>
#include <new>
#include <numeric>
#include <vector>

#include <snack/sparse/canonical.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::Dice;
using tests::text_of;

namespace {

using Indices = std::vector<Index>;

Canonical canonical(Size out_features, Size in_features, const Indices& rows, const Indices& columns,
                    Allocator* allocator = nullptr) {
    return canonicalize<Index>(out_features, in_features, rows, columns, allocator);
}

/// Whether entry e of the topology is the coordinate it came from, and every coordinate came once.
bool follows(const Canonical& result, const Indices& rows, const Indices& columns) {
    std::vector<int> seen(rows.size());
    bool right = result.topology->nnz() == static_cast<Size>(rows.size());
    for_each_entry(*result.topology, [&](Size entry, Index row, Index column) {
        const auto from = static_cast<std::size_t>(result.permutation[entry]);
        right = right && rows[from] == row && columns[from] == column && ++seen[from] == 1;
    });
    return right;
}

}  // namespace

TEST_CASE("all orders of five entries give one topology and the permutation to it", "[sparse][canonical]") {
    const Indices rows = {2, 0, 2, 1, 0};
    const Indices columns = {0, 1, 2, 1, 0};
    const Canonical first = canonical(3, 3, rows, columns);
    std::vector<std::size_t> order = {0, 1, 2, 3, 4};

    int orders = 0;
    do {
        Indices shuffled_rows;
        Indices shuffled_columns;
        for (const std::size_t entry : order) {
            shuffled_rows.push_back(rows[entry]);
            shuffled_columns.push_back(columns[entry]);
        }
        const Canonical result = canonical(3, 3, shuffled_rows, shuffled_columns);
        REQUIRE(same_coordinates(*result.topology, *first.topology));
        REQUIRE(follows(result, shuffled_rows, shuffled_columns));
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));

    CHECK(orders == 120);
    CHECK(std::vector<Index>(first.topology->columns().begin(), first.topology->columns().end()) ==
          Indices{0, 1, 1, 0, 2});
    CHECK(std::vector<Size>(first.permutation.begin(), first.permutation.end()) == std::vector<Size>{4, 1, 3, 0, 2});
}

TEST_CASE("shuffled random matrices are sorted and can be traced back", "[sparse][canonical]") {
    Dice dice(1);
    for (int round = 0; round < 100; ++round) {
        const Size out_features = 1 + dice.below(80);
        const Size in_features = 1 + dice.below(80);
        std::vector<Size> cells =
            dice.cells(out_features * in_features, dice.below(out_features * in_features / 2 + 2));
        dice.shuffle(cells);
        Indices rows;
        Indices columns;
        for (const Size cell : cells) {
            rows.push_back(static_cast<Index>(cell / in_features));
            columns.push_back(static_cast<Index>(cell % in_features));
        }
        REQUIRE(follows(canonical(out_features, in_features, rows, columns), rows, columns));
    }
}

TEST_CASE("sorted coordinates keep their order", "[sparse][canonical]") {
    const Canonical result = canonical(4, 4, {0, 1, 1, 3}, {3, 0, 2, 3});

    CHECK(std::vector<Size>(result.permutation.begin(), result.permutation.end()) == std::vector<Size>{0, 1, 2, 3});
}

TEST_CASE("cells that agree in their low 32 bits are distinct entries", "[sparse][canonical]") {
    const Canonical result = canonical(65537, 65536, {65536, 0, 32768}, {0, 0, 0});

    CHECK(result.topology->nnz() == 3);
    CHECK(follows(result, {65536, 0, 32768}, {0, 0, 0}));
    CHECK(std::vector<Size>(result.permutation.begin(), result.permutation.end()) == std::vector<Size>{1, 2, 0});
    const Buffer<Index> rows = result.topology->rows();
    CHECK(Indices(rows.begin(), rows.end()) == Indices{0, 32768, 65536});
}

TEST_CASE("matrices without entries are canonical", "[sparse][canonical]") {
    const auto [out_features, in_features] =
        GENERATE(table<Size, Size>({{0, 0}, {0, 5}, {5, 0}, {3, 4}, {5, max_features}}));

    const Canonical result = canonical(out_features, in_features, {}, {});

    CHECK(result.topology->nnz() == 0);
    CHECK(result.topology->out_features() == out_features);
    CHECK(result.topology->in_features() == in_features);
    CHECK(result.permutation.size() == 0);
}

TEST_CASE("a coordinate given twice is an error in any order", "[sparse][canonical]") {
    CHECK(contains(text_of<TopologyError>([] {
                       canonical(1, 2, {0, 0}, {1, 1});
                   }),
                   "entry 1 at (0, 1) is given twice"));
    REQUIRE_THROWS_AS(canonical(3, 3, {2, 0, 2}, {1, 0, 1}), TopologyError);
    REQUIRE_THROWS_AS(canonical(3, 3, {0, 0, 1}, {0, 0, 0}), TopologyError);
    REQUIRE_THROWS_AS(canonical(2, 2, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}), TopologyError);
}

TEST_CASE("a coordinate given twice is named by its place in the caller's arrays", "[sparse][canonical]") {
    const std::string text = text_of<TopologyError>([] { canonical(3, 3, {2, 1, 0, 2}, {0, 1, 2, 0}); });

    CHECK(contains(text, "canonicalize: entry 3 at (2, 0) is given twice"));
}

TEST_CASE("a coordinate out of range is named by its place in the caller's arrays", "[sparse][canonical]") {
    CHECK(text_of<TopologyError>([] {
              canonical(4, 4, {0, 4}, {0, 0});
          }) == "canonicalize: entry 1 at (4, 0) is outside a 4 x 4 matrix");
    CHECK(text_of<TopologyError>([] {
              canonical(4, 4, {0, 0, -1}, {0, 1, 0});
          }) == "canonicalize: entry 2 at (-1, 0) is outside a 4 x 4 matrix");
    REQUIRE_THROWS_AS(canonical(4, 4, {0}, {4}), TopologyError);
    REQUIRE_THROWS_AS(canonical(4, 4, {0}, {-1}), TopologyError);
    REQUIRE_THROWS_AS(canonical(0, 4, {0}, {0}), TopologyError);
    REQUIRE_THROWS_AS(canonical(4, 0, {0}, {0}), TopologyError);
}

TEST_CASE("rows and columns of different extent are refused", "[sparse][canonical]") {
    CHECK(text_of<ShapeError>([] { canonical(4, 4, {0, 1}, {0}); }) == "canonicalize: 2 rows for 1 columns");
    REQUIRE_THROWS_AS(canonical(4, 4, {}, {0}), ShapeError);
}

TEST_CASE("bad extents of a matrix are refused", "[sparse][canonical]") {
    REQUIRE_THROWS_AS(canonical(-1, 4, {}, {}), ShapeError);
    REQUIRE_THROWS_AS(canonical(4, -1, {}, {}), ShapeError);
    REQUIRE_THROWS_AS(canonical(4, max_features + 1, {}, {}), ShapeError);
    REQUIRE_THROWS_AS(canonical(max_features + 1, 4, {}, {}), ShapeError);
}

TEST_CASE("matrices that are refused again and again leave no memory behind", "[sparse][canonical]") {
    tests::CountingAllocator allocator;
    Indices rows(10000);
    Indices columns(10000);
    std::iota(columns.begin(), columns.end(), Index{1});

    for (int round = 0; round < 10000; ++round) {
        REQUIRE_THROWS_AS(canonical(1, 10000, rows, columns, &allocator), TopologyError);
        REQUIRE(allocator.live_bytes == 0);
    }
}

TEST_CASE("whichever allocation fails, nothing leaks", "[sparse][canonical]") {
    tests::CountingAllocator allocator;
    bool failed = true;
    Size failures = 0;
    for (Size call = 0; failed; ++call) {
        allocator.calls = 0;
        allocator.fail_at_call = call;
        try {
            canonical(3, 3, {2, 0}, {0, 1}, &allocator);
            failed = false;
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        REQUIRE(allocator.live_bytes == 0);
    }
    CHECK(failures >= 4);  // cells, permutation, and the two arrays of the topology
}
