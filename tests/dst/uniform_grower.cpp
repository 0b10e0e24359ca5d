// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The grower returns free cells only, as many as asked for, each set equally likely, at any density.

#include <algorithm>
#include <vector>

#include <snack/concepts/rewiring.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/memory/host_context.hpp>
#include <tests/dst/rules.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::Dice;

namespace {

using Cells = std::vector<Size>;

Cells grown(const Topology& topology, Size count, const RandomKey& key) {
    HostContext ctx({.threads = 1});
    const Buffer<Size> cells = UniformGrower{}.select(ctx, topology, count, key);
    return {cells.begin(), cells.end()};
}

Cells free_cells(const Topology& topology) {
    const Cells stored = tests::cells_of(topology);
    Cells free;
    for (Size cell = 0; cell < topology.cells(); ++cell) {
        if (!std::binary_search(stored.begin(), stored.end(), cell)) {
            free.push_back(cell);
        }
    }
    return free;
}

/// Ranks among the free cells, looked up in a list of them.
Cells grown_by_enumeration(const Topology& topology, Size count, const RandomKey& key) {
    const Cells free = free_cells(topology);
    Cells cells;
    for (const Size rank : sample_without_replacement(key, static_cast<Size>(free.size()), count)) {
        cells.push_back(free[static_cast<std::size_t>(rank)]);
    }
    return cells;
}

}  // namespace

TEST_CASE("grown cells are those of the drawn ranks among the free cells", "[dst][grower]") {
    Dice dice(1);
    for (int round = 0; round < 300; ++round) {
        const Size out_features = 1 + dice.below(12);
        const Size in_features = 1 + dice.below(12);
        const Size all = out_features * in_features;
        const TopologyPtr topology =
            Topology::from_cells(out_features, in_features, dice.cells(all, dice.below(all + 1)));
        const RandomKey key{.seed = static_cast<std::uint64_t>(round), .purpose = Purpose::growth};

        for (const Size count : {Size{0}, topology->free_cells() / 3, topology->free_cells() / 2,
                                 topology->free_cells() - topology->free_cells() / 5, topology->free_cells()}) {
            CAPTURE(round, count);
            REQUIRE(grown(*topology, count, key) == grown_by_enumeration(*topology, count, key));
        }
    }
}

TEST_CASE("all free cells can be grown at once", "[dst][grower]") {
    Dice dice(2);
    for (Size nnz = 0; nnz <= 30; ++nnz) {
        const TopologyPtr topology = Topology::from_cells(5, 6, dice.cells(30, nnz));
        REQUIRE(grown(*topology, 30 - nnz, {.seed = 1}) == free_cells(*topology));
    }
}

TEST_CASE("the only free cell of a large matrix is found", "[dst][grower]") {
    for (const Size hole : {0, 1, 4999, 5000, 9998, 9999}) {
        Cells cells;
        for (Size cell = 0; cell < 10000; ++cell) {
            if (cell != hole) {
                cells.push_back(cell);
            }
        }
        const TopologyPtr topology = Topology::from_cells(100, 100, cells);
        REQUIRE(grown(*topology, 1, {.seed = 2}) == Cells{hole});
    }
}

TEST_CASE("every free cell is grown equally often", "[dst][grower]") {
    const TopologyPtr topology = Topology::from_cells(3, 4, Cells{0, 1, 5, 6, 11});
    std::vector<double> seen(12);
    constexpr double rounds = 7000;

    for (std::uint64_t seed = 0; seed < 7000; ++seed) {
        ++seen[static_cast<std::size_t>(grown(*topology, 1, {.seed = seed})[0])];
    }

    // A cell comes with probability 1/7: 1000 times, deviation sqrt(7000 6/49) = 29.3; five deviations.
    for (const Size cell : free_cells(*topology)) {
        CAPTURE(cell);
        CHECK(std::abs(seen[static_cast<std::size_t>(cell)] - rounds / 7) <= 147);
    }
}

TEST_CASE("the same key grows the same cells and another key others", "[dst][grower]") {
    const TopologyPtr topology = Topology::from_cells(50, 50, Dice(3).cells(2500, 500));
    const RandomKey key{.seed = 3, .stream = 1, .purpose = Purpose::growth, .rewire_count = 9};
    RandomKey next = key;
    ++next.rewire_count;

    CHECK(grown(*topology, 100, key) == grown(*topology, 100, key));
    CHECK(grown(*topology, 100, key) != grown(*topology, 100, next));
}

TEST_CASE("growing in a huge matrix takes memory for the grown cells only", "[dst][grower]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const TopologyPtr topology = Topology::from_cells(3, max_features, Cells{7, max_features, 3 * max_features - 1});

    const Buffer<Size> cells = UniformGrower{}.select(ctx, *topology, 1000, {.seed = 4});

    CHECK(cells.size() == 1000);
    CHECK(std::is_sorted(cells.begin(), cells.end()));
    CHECK(cells[999] > Size{1} << 32);
    CHECK(allocator.peak_bytes < 100000);
}

TEST_CASE("more cells than are free are refused", "[dst][grower]") {
    REQUIRE_THROWS_AS(grown(*Topology::from_cells(2, 2, Cells{}), 10, {}), ArgumentError);
    REQUIRE_THROWS_AS(grown(*Topology::from_cells(2, 2, Cells{0, 1, 2}), 2, {}), ArgumentError);
    REQUIRE_THROWS_AS(grown(*Topology::from_cells(2, 2, Cells{0, 1, 2, 3}), 1, {}), ArgumentError);
    REQUIRE_THROWS_AS(grown(*Topology::from_cells(0, 2, Cells{}), 1, {}), ArgumentError);
    REQUIRE_THROWS_AS(grown(*Topology::from_cells(2, 2, Cells{}), -1, {}), ArgumentError);
}

TEST_CASE("no cells can be grown anywhere", "[dst][grower]") {
    CHECK(grown(*Topology::from_cells(2, 2, Cells{0, 1, 2, 3}), 0, {}).empty());
    CHECK(grown(*Topology::from_cells(0, 2, Cells{}), 0, {}).empty());
    CHECK(grown(*Topology::from_cells(2, 0, Cells{}), 0, {}).empty());
}

static_assert(Grower<UniformGrower, HostContext>);
