// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A topology holds the coordinates it was made from, whatever the shape, and refuses all others.

#include <new>
#include <vector>

#include <snack/sparse/topology.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::CountingAllocator;
using tests::Dice;
using tests::text_of;

namespace {

using Cells = std::vector<Size>;

TopologyPtr make(Size out_features, Size in_features, const Cells& cells) {
    return Topology::from_cells(out_features, in_features, cells);
}

/// Compares every accessor with what the cells say.
void require_holds(const Topology& topology, Size out_features, Size in_features, const Cells& cells) {
    const auto nnz = static_cast<Size>(cells.size());
    REQUIRE(topology.out_features() == out_features);
    REQUIRE(topology.in_features() == in_features);
    REQUIRE(topology.nnz() == nnz);
    REQUIRE(topology.cells() == out_features * in_features);
    REQUIRE(topology.free_cells() == out_features * in_features - nnz);
    REQUIRE(static_cast<Size>(topology.row_offsets().size()) == out_features + 1);
    REQUIRE(topology.bytes() == 4 * nnz + 8 * (out_features + 1));
    for (Size row = 0; row <= out_features; ++row) {
        Size before = 0;
        for (const Size cell : cells) {
            before += cell < row * in_features;
        }
        REQUIRE(topology.row_offsets().data()[row] == before);
    }
    const Buffer<Index> rows = topology.rows();
    for (Size e = 0; e < nnz; ++e) {
        REQUIRE(cell_index(rows[e], topology.columns().data()[e], in_features) == cells[static_cast<std::size_t>(e)]);
    }
    Size visited = 0;
    for_each_entry(topology, [&](Size entry, Index row, Index column) {
        REQUIRE(entry == visited++);
        REQUIRE(row == rows[entry]);
        REQUIRE(column == topology.columns().data()[entry]);
    });
    REQUIRE(visited == nnz);
}

}  // namespace

TEST_CASE("a topology holds the coordinates it was made from", "[sparse][topology]") {
    Dice dice(1);
    for (Size out_features = 0; out_features <= 7; ++out_features) {
        for (Size in_features = 0; in_features <= 7; ++in_features) {
            const Size all = out_features * in_features;
            for (Size nnz = 0; nnz <= all; nnz += 1 + all / 8) {
                const Cells cells = dice.cells(all, nnz);
                CAPTURE(out_features, in_features, nnz);
                require_holds(*make(out_features, in_features, cells), out_features, in_features, cells);
            }
        }
    }
}

TEST_CASE("larger random topologies hold their coordinates too", "[sparse][topology]") {
    Dice dice(2);
    for (int round = 0; round < 40; ++round) {
        const Size out_features = 1 + dice.below(60);
        const Size in_features = 1 + dice.below(60);
        const Cells cells = dice.cells(out_features * in_features, dice.below(1 + out_features * in_features / 3));
        require_holds(*make(out_features, in_features, cells), out_features, in_features, cells);
    }
}

TEST_CASE("empty rows at the start, in the middle and at the end keep their place", "[sparse][topology]") {
    const TopologyPtr topology = make(5, 3, {5, 9});

    CHECK(std::vector<Size>(topology->row_offsets().begin(), topology->row_offsets().end()) ==
          std::vector<Size>{0, 0, 1, 1, 2, 2});
    CHECK(topology->columns()[0] == 2);
    CHECK(topology->columns()[1] == 0);
}

TEST_CASE("sparsity is the share of cells without an entry", "[sparse][topology]") {
    CHECK(make(20, 30, Dice(3).cells(600, 60))->sparsity() == 0.9);
    CHECK(make(2, 2, {0, 1, 2, 3})->sparsity() == 0);
    CHECK(make(2, 2, {})->sparsity() == 1);
    CHECK(make(0, 5, {})->sparsity() == 0);
    CHECK(make(5, 0, {})->sparsity() == 0);
}

TEST_CASE("every topology has a version of its own", "[sparse][topology]") {
    const TopologyPtr a = make(2, 2, {1});
    const TopologyPtr b = make(2, 2, {1});

    CHECK(a->version() != b->version());
    CHECK(same_coordinates(*a, *b));
}

TEST_CASE("coordinates are the same only in the same shape", "[sparse][topology]") {
    const TopologyPtr topology = make(2, 6, {1, 7});

    CHECK(same_coordinates(*topology, *topology));
    CHECK_FALSE(same_coordinates(*topology, *make(2, 6, {1})));
    CHECK_FALSE(same_coordinates(*topology, *make(2, 6, {1, 8})));
    CHECK_FALSE(same_coordinates(*topology, *make(2, 6, {0, 1})));
    CHECK_FALSE(same_coordinates(*topology, *make(3, 6, {1, 7})));
    CHECK_FALSE(same_coordinates(*topology, *make(2, 7, {1, 8})));
    CHECK_FALSE(same_coordinates(*make(0, 5, {}), *make(5, 0, {})));
}

TEST_CASE("a cell outside the matrix is refused by its entry", "[sparse][topology]") {
    CHECK(text_of<TopologyError>([] {
              make(2, 3, {0, 6});
          }) == "Topology::from_cells: entry 1: cell 6 is outside a 2 x 3 matrix");
    REQUIRE_THROWS_AS(make(2, 3, {-1}), TopologyError);
    REQUIRE_THROWS_AS(make(2, 3, {0, Size{1} << 32}), TopologyError);
    REQUIRE_THROWS_AS(make(2, 3, {(Size{1} << 32) + 1}), TopologyError);
    REQUIRE_THROWS_AS(make(0, 3, {0}), TopologyError);
    REQUIRE_THROWS_AS(make(3, 0, {0}), TopologyError);
    REQUIRE_THROWS_AS(make(0, 0, {0}), TopologyError);
}

TEST_CASE("cells out of order or given twice are refused by their coordinate", "[sparse][topology]") {
    CHECK(text_of<TopologyError>([] {
              make(2, 3, {0, 4, 4});
          }) == "Topology::from_cells: entry 2 at (1, 1) is given twice");
    CHECK(text_of<TopologyError>([] {
              make(2, 3, {5, 2});
          }) == "Topology::from_cells: entry 1 at (0, 2) is out of order");
}

TEST_CASE("negative extents and extents beyond 31 bits are refused", "[sparse][topology]") {
    REQUIRE_THROWS_AS(make(-1, 3, {}), ShapeError);
    REQUIRE_THROWS_AS(make(3, -1, {}), ShapeError);
    REQUIRE_THROWS_AS(make(3, max_features + 1, {}), ShapeError);
    REQUIRE_THROWS_AS(make(max_features + 1, 3, {}), ShapeError);
    REQUIRE_THROWS_AS(make(Size{1} << 32, Size{1} << 32, {}), ShapeError);
    CHECK(tests::contains(text_of<ShapeError>([] { make(-1, 3, {}); }), "extent -1 x 3 is negative"));
}

TEST_CASE("the widest rows hold entries at both ends", "[sparse][topology]") {
    const Cells cells = {0, max_features - 1, max_features, 2 * max_features - 1, 5 * max_features - 1};

    require_holds(*make(5, max_features, cells), 5, max_features, cells);
}

TEST_CASE("rows are expanded into a span of the right extent only", "[sparse][topology]") {
    const TopologyPtr topology = make(3, 2, {0, 3, 4});
    std::vector<Index> rows(4, -7);

    REQUIRE_THROWS_AS(topology->expand_rows(rows), ShapeError);
    CHECK(rows == std::vector<Index>(4, -7));
    topology->expand_rows(std::span(rows).first(3));
    CHECK(rows == std::vector<Index>{0, 1, 2, -7});
}

TEST_CASE("a topology that cannot be made returns all memory", "[sparse][topology]") {
    CountingAllocator allocator;
    for (const Cells& cells : {Cells{0, 6}, Cells{3, 3}, Cells{4, 1}}) {
        REQUIRE_THROWS_AS(Topology::from_cells(2, 3, cells, &allocator), TopologyError);
        CHECK(allocator.live_bytes == 0);
    }
    for (const Size failing : {0, 1}) {
        allocator.fail_at_call = allocator.calls + failing;
        REQUIRE_THROWS_AS(Topology::from_cells(2, 3, Cells{1, 4}, &allocator), std::bad_alloc);
        CHECK(allocator.live_bytes == 0);
    }
}

TEST_CASE("a topology takes its memory from the allocator", "[sparse][topology]") {
    CountingAllocator allocator;

    {
        const TopologyPtr topology = Topology::from_cells(20, 30, Dice(4).cells(600, 100), &allocator);
        CHECK(allocator.live_bytes == topology->bytes());
        const Buffer<Index> rows = topology->rows(&allocator);
        CHECK(allocator.live_bytes == topology->bytes() + rows.bytes());
    }

    CHECK(allocator.live_bytes == 0);
}
