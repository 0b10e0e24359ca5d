// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewires at the limits: full, empty, one cell left, nothing or everything to drop, and matrices
// whose cells do not fit 32 bits.

#include <algorithm>
#include <functional>
#include <vector>

#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/rewire.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/init/uniform_topology.hpp>
#include <tests/dst/rules.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::cells_of;

namespace {

using Cells = std::vector<Size>;

RewireReport rewire(const TopologyPtr& before, double fraction, std::uint64_t seed = 1) {
    HostContext ctx({.threads = 1});
    const std::vector<float> values(static_cast<std::size_t>(before->nnz()), 1.0f);
    return propose_rewire(ctx, before, std::span<const float>(values), MagnitudePruner{fraction}, UniformGrower{},
                          {.seed = seed, .purpose = Purpose::growth});
}

TopologyPtr full(Size out_features, Size in_features) {
    return uniform_topology(out_features, in_features, out_features * in_features, {});
}

}  // namespace

TEST_CASE("no more are dropped than cells are free", "[dst][rewire]") {
    const RewireReport report = rewire(Topology::from_cells(2, 2, Cells{0, 1, 2}), 2.0 / 3);

    CHECK(report.dropped() == 1);
    CHECK(report.grown() == 1);
    CHECK(cells_of(*report.after()) == Cells{1, 2, 3});
}

TEST_CASE("a full matrix is left alone", "[dst][rewire]") {
    const TopologyPtr before = full(2, 2);

    for (const double fraction : {0.25, 0.5, 1.0}) {
        const RewireReport report = rewire(before, fraction);
        CHECK(report.dropped() == 0);
        CHECK(report.grown() == 0);
        CHECK(report.after() == before);
    }
}

TEST_CASE("one free cell takes one of four drops", "[dst][rewire]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const RewireReport report = rewire(uniform_topology(3, 3, 8, {.seed = seed}), 0.5, seed);

        REQUIRE(report.dropped() == 1);
        REQUIRE(report.after()->nnz() == 8);
    }
}

TEST_CASE("more entries than the matrix has cells cannot be dropped", "[dst][rewire]") {
    HostContext ctx({.threads = 1});
    const TopologyPtr before = Topology::from_cells(2, 2, Cells{0});
    const std::vector<float> values = {1};
    const tests::FixedPruner ten{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};

    REQUIRE_THROWS_AS(propose_rewire(ctx, before, std::span<const float>(values), ten, UniformGrower{}, {}),
                      TopologyError);
}

TEST_CASE("fraction 1 replaces every entry while there is room", "[dst][rewire]") {
    const RewireReport few = rewire(Topology::from_cells(4, 4, Cells{0, 5, 10, 15}), 1);
    CHECK(few.dropped() == 4);
    for (const Size to : few.old_to_new()) {
        CHECK(to == -1);
    }

    const RewireReport many = rewire(uniform_topology(4, 4, 12, {.seed = 1}), 1);
    CHECK(many.dropped() == 4);
    CHECK(many.after()->nnz() == 12);

    const RewireReport half = rewire(uniform_topology(4, 4, 8, {.seed = 1}), 1);
    CHECK(half.dropped() == 8);
    CHECK(half.after()->nnz() == 8);
}

TEST_CASE("matrices without entries or without cells can be rewired", "[dst][rewire]") {
    for (const TopologyPtr& before : {Topology::from_cells(3, 4, Cells{}), Topology::from_cells(0, 4, Cells{}),
                                      Topology::from_cells(3, 0, Cells{}), Topology::from_cells(0, 0, Cells{})}) {
        const RewireReport report = rewire(before, 1);
        CHECK(report.dropped() == 0);
        CHECK(report.after() == before);
        CHECK(report.new_to_old().empty());
    }
}

TEST_CASE("a count that rounds to zero changes nothing", "[dst][rewire]") {
    const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 4, 8});

    CHECK(rewire(before, 0.1).after() == before);
}

TEST_CASE("three of ten equal weights go, the same three for any seed", "[dst][rewire]") {
    const TopologyPtr before = uniform_topology(10, 10, 10, {.seed = 2});

    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const RewireReport report = rewire(before, 0.3, seed);
        CHECK(report.dropped() == 3);
        CHECK(Cells(report.old_to_new().begin(), report.old_to_new().begin() + 3) == Cells{-1, -1, -1});
    }
    CHECK(same_coordinates(*rewire(before, 0.3, 5).after(), *rewire(before, 0.3, 5).after()));
    CHECK_FALSE(same_coordinates(*rewire(before, 0.3, 5).after(), *rewire(before, 0.3, 6).after()));
}

TEST_CASE("every seed holds and replaces exactly as many", "[dst][rewire]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const RewireReport report = rewire(uniform_topology(50, 40, 200, {.seed = seed}), 0.3, seed);

        REQUIRE(report.dropped() == 60);
        REQUIRE(report.grown() == 60);
        REQUIRE(report.after()->nnz() == 200);
    }
}

TEST_CASE("one row, one column and one cell can be rewired", "[dst][rewire]") {
    CHECK(rewire(Topology::from_cells(1, 9, Cells{0, 4, 8}), 1).dropped() == 3);
    CHECK(rewire(Topology::from_cells(9, 1, Cells{0, 4, 8}), 1).dropped() == 3);
    CHECK(rewire(Topology::from_cells(1, 1, Cells{0}), 1).dropped() == 0);
    CHECK(rewire(Topology::from_cells(1, 2, Cells{0}), 1).dropped() == 1);
}

TEST_CASE("many rewires of a nearly full matrix keep the count", "[dst][rewire]") {
    TopologyPtr topology = uniform_topology(20, 20, 397, {.seed = 3});

    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RewireReport report = rewire(topology, 0.3, seed);
        REQUIRE(report.dropped() == 3);
        topology = report.after();
        REQUIRE(topology->nnz() == 397);
    }
}

TEST_CASE("a matrix of 40 thousand million cells is rewired in little memory", "[dst][rewire]") {
    tests::CountingAllocator allocator;
    allocator.cap_bytes = Size{64} << 20;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    TopologyPtr topology = uniform_topology(200000, 200000, 1000, {.seed = 4}, &allocator);
    const std::vector<float> values(1000, 1.0f);
    Size grown_beyond_32_bits = 0;

    for (std::uint32_t rewires = 0; rewires < 10; ++rewires) {
        const RewireReport report = propose_rewire(ctx, topology, std::span<const float>(values), MagnitudePruner{0.3},
                                                   UniformGrower{}, {.seed = 4, .rewire_count = rewires});
        topology = report.after();
        const Cells cells = cells_of(*topology);
        REQUIRE(report.grown() == 300);
        REQUIRE(cells.size() == 1000);
        REQUIRE(cells.back() < Size{200000} * 200000);
        REQUIRE(std::adjacent_find(cells.begin(), cells.end(), std::greater_equal<>()) == cells.end());
        for (std::size_t e = 0; e < cells.size(); ++e) {
            grown_beyond_32_bits += report.new_to_old()[e] < 0 && cells[e] >= Size{1} << 32;
        }
    }

    CHECK(grown_beyond_32_bits > 2500);  // expected 2678 of 3000, deviation 17
}

TEST_CASE("the widest matrix is rewired", "[dst][rewire]") {
    const TopologyPtr before = Topology::from_cells(2, max_features, Cells{0, max_features, 2 * max_features - 1});

    const RewireReport report = rewire(before, 1);

    CHECK(report.dropped() == 3);
    CHECK(cells_of(*report.after()).size() == 3);
}
