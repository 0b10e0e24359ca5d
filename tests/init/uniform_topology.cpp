// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many entries a sparsity means, and that a random topology has exactly as many.

#include <limits>
#include <vector>

#include <snack/init/uniform_topology.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

TEST_CASE("a sparsity is rounded to the nearest number of entries", "[init][topology]") {
    CHECK(entries_for_sparsity(10, 10, 0.9) == 10);
    CHECK(entries_for_sparsity(100, 100, 0.99) == 100);
    CHECK(entries_for_sparsity(20, 30, 0.9) == 60);
    CHECK(entries_for_sparsity(1, 10000, 0.9) == 1000);
    CHECK(entries_for_sparsity(5, 2, 0.9) == 1);
    CHECK(entries_for_sparsity(7, 7, 1) == 0);
    CHECK(entries_for_sparsity(512, 512, 0) == 262144);
    CHECK(entries_for_sparsity(7, 7, -0.0) == 49);
    CHECK(entries_for_sparsity(0, 7, 0.5) == 0);
    CHECK(entries_for_sparsity(7, 0, 0) == 0);
    CHECK(entries_for_sparsity(max_features, max_features, 0) == max_features * max_features);
    CHECK(entries_for_sparsity(200000, 200000, 0.5) == Size{20000000000});
}

TEST_CASE("hundredths of a hundred cells are exact", "[init][topology]") {
    for (Size absent = 0; absent <= 100; ++absent) {
        CHECK(entries_for_sparsity(10, 10, static_cast<double>(absent) / 100) == 100 - absent);
    }
}

TEST_CASE("thousandths of a thousand thousand cells are exact", "[init][topology]") {
    for (Size absent = 0; absent <= 1000; ++absent) {
        CHECK(entries_for_sparsity(1000, 1000, static_cast<double>(absent) / 1000) == 1000 * (1000 - absent));
    }
}

TEST_CASE("a sparsity outside 0 and 1 is refused", "[init][topology]") {
    const double sparsity =
        GENERATE(-0.1, 1.1, -std::numeric_limits<double>::denorm_min(), 1 + std::numeric_limits<double>::epsilon(),
                 std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                 std::numeric_limits<double>::quiet_NaN());

    REQUIRE_THROWS_AS(entries_for_sparsity(10, 10, sparsity), ArgumentError);
}

TEST_CASE("the text about a refused sparsity tells it", "[init][topology]") {
    CHECK(tests::text_of<ArgumentError>([] { entries_for_sparsity(10, 10, 1.1); }) ==
          "entries_for_sparsity: sparsity 1.1 is not between 0 and 1");
}

TEST_CASE("a random topology has the shape and the entries asked for", "[init][topology]") {
    for (const auto& [out_features, in_features] :
         std::vector<std::pair<Size, Size>>{{1, 1}, {1, 50}, {50, 1}, {7, 9}}) {
        for (Size nnz = 0; nnz <= out_features * in_features; ++nnz) {
            const TopologyPtr topology = uniform_topology(out_features, in_features, nnz, {.seed = 1});
            REQUIRE(topology->out_features() == out_features);
            REQUIRE(topology->in_features() == in_features);
            REQUIRE(topology->nnz() == nnz);
        }
    }
    CHECK(uniform_topology(0, 5, 0, {})->nnz() == 0);
    CHECK(uniform_topology(5, 0, 0, {})->out_features() == 5);
    CHECK(uniform_topology(10, 10, 90, {.seed = 2})->nnz() == 90);
}

TEST_CASE("the same key gives the same topology and another key another", "[init][topology]") {
    tests::CountingAllocator allocator;
    const RandomKey key{.seed = 3, .stream = 4, .purpose = Purpose::topology};
    const TopologyPtr topology = uniform_topology(60, 70, 420, key);

    CHECK(same_coordinates(*topology, *uniform_topology(60, 70, 420, key, &allocator)));
    CHECK_FALSE(same_coordinates(
        *topology, *uniform_topology(60, 70, 420, {.seed = 3, .stream = 5, .purpose = Purpose::topology})));
    CHECK_FALSE(same_coordinates(
        *topology, *uniform_topology(60, 70, 420, {.seed = 4, .stream = 4, .purpose = Purpose::topology})));
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("a huge sparse topology is made without its cells", "[init][topology]") {
    tests::CountingAllocator allocator;
    allocator.cap_bytes = Size{64} << 20;

    const TopologyPtr topology = uniform_topology(200000, 200000, 1000, {.seed = 5}, &allocator);

    Size beyond_32_bits = 0;
    Size last = -1;
    for_each_entry(*topology, [&](Size, Index row, Index column) {
        const Size cell = cell_index(row, column, 200000);
        REQUIRE(cell > last);
        last = cell;
        beyond_32_bits += cell >= Size{1} << 32;
    });
    CHECK(topology->nnz() == 1000);
    CHECK(last < Size{200000} * 200000);
    CHECK(beyond_32_bits > 800);  // expected 893 of 1000, deviation 10
}

TEST_CASE("every cell of a full topology is there", "[init][topology]") {
    const TopologyPtr topology = uniform_topology(512, 512, 512 * 512, {.seed = 6});

    CHECK(topology->free_cells() == 0);
    Size expected = 0;
    for_each_entry(*topology,
                   [&](Size, Index row, Index column) { REQUIRE(cell_index(row, column, 512) == expected++); });
}

TEST_CASE("a topology of more entries than cells is refused", "[init][topology]") {
    REQUIRE_THROWS_AS(uniform_topology(3, 3, 10, {}), ArgumentError);
    REQUIRE_THROWS_AS(uniform_topology(3, 3, -1, {}), ArgumentError);
    REQUIRE_THROWS_AS(uniform_topology(0, 3, 1, {}), ArgumentError);
    REQUIRE_THROWS_AS(uniform_topology(-1, 3, 0, {}), ShapeError);
    REQUIRE_THROWS_AS(uniform_topology(3, max_features + 1, 0, {}), ShapeError);
}
