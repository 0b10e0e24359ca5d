// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A rewire keeps the count, the order and what was not dropped, and stops a rule that returns what
// is not its to return.

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/rewire.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <tests/dst/rules.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::cells_of;
using tests::contains;
using tests::Dice;
using tests::FixedGrower;
using tests::FixedPruner;
using tests::text_of;

namespace {

using Cells = std::vector<Size>;

template <class P, class G>
RewireReport rewire(const TopologyPtr& before, const std::vector<double>& values, const P& pruner, const G& grower,
                    const RandomKey& key = {}) {
    HostContext ctx({.threads = 1});
    return propose_rewire(ctx, before, std::span<const double>(values), pruner, grower, key);
}

/// What a rule that breaks its contract is told.
std::string refusal(const FixedPruner& pruner, const FixedGrower& grower) {
    // Entries 0, 1, 2, 3 at (0,0) (0,2) (1,1) (2,2); the cells 1, 3, 5, 6, 7 are free.
    static const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 2, 4, 8});
    return text_of<TopologyError>([&] { rewire(before, {1, 2, 3, 4}, pruner, grower); });
}

}  // namespace

TEST_CASE("a rewire replaces the dropped entries by the grown cells and keeps the rest", "[dst][rewire]") {
    Dice dice(1);
    for (int round = 0; round < 300; ++round) {
        const Size out_features = 1 + dice.below(15);
        const Size in_features = 1 + dice.below(15);
        const Size all = out_features * in_features;
        const TopologyPtr before =
            Topology::from_cells(out_features, in_features, dice.cells(all, dice.below(all + 1)));
        std::vector<double> values;
        for (Size e = 0; e < before->nnz(); ++e) {
            values.push_back(static_cast<double>(dice.below(20) - 10));
        }
        const MagnitudePruner pruner{static_cast<double>(dice.below(11)) / 10};
        const RandomKey key{.seed = static_cast<std::uint64_t>(round)};

        const RewireReport report = rewire(before, values, pruner, UniformGrower{}, key);

        HostContext ctx({.threads = 1});
        const Buffer<Size> dropped = pruner.select(ctx, *before, std::span<const double>(values), before->free_cells());
        const Buffer<Size> grown = UniformGrower{}.select(ctx, *before, dropped.size(), key);
        Cells expected(grown.begin(), grown.end());
        const Cells old_cells = cells_of(*before);
        for (Size e = 0; e < before->nnz(); ++e) {
            if (!std::binary_search(dropped.begin(), dropped.end(), e)) {
                expected.push_back(old_cells[static_cast<std::size_t>(e)]);
            }
        }
        std::sort(expected.begin(), expected.end());
        CAPTURE(round);
        REQUIRE(cells_of(*report.after()) == expected);
        REQUIRE(report.before() == before);
        REQUIRE(report.dropped() == dropped.size());
        REQUIRE(report.grown() == dropped.size());
    }
}

TEST_CASE("nothing that had an entry is grown, dropped in the same step or not", "[dst][rewire]") {
    Dice dice(2);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const TopologyPtr before = Topology::from_cells(6, 6, dice.cells(36, 20));
        const RewireReport report =
            rewire(before, std::vector<double>(20, 1), MagnitudePruner{0.8}, UniformGrower{}, {.seed = seed});

        const Cells old_cells = cells_of(*before);
        const Cells new_cells = cells_of(*report.after());
        for (std::size_t e = 0; e < new_cells.size(); ++e) {
            const bool had_entry = std::binary_search(old_cells.begin(), old_cells.end(), new_cells[e]);
            REQUIRE(had_entry == (report.new_to_old()[e] >= 0));
        }
    }
}

TEST_CASE("a dropped cell stays out while others are to be had", "[dst][rewire]") {
    // 2 x 3 with (0,0)=.9 (1,0)=-.3 (1,2)=.05: (1,2) goes, and only (0,1), (0,2) or (1,1) can come.
    const TopologyPtr before = Topology::from_cells(2, 3, Cells{0, 3, 5});
    std::vector<bool> came(6);

    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RewireReport report =
            rewire(before, {0.9, -0.3, 0.05}, MagnitudePruner{1.0 / 3}, UniformGrower{}, {.seed = seed});
        for (const Size cell : cells_of(*report.after())) {
            came[static_cast<std::size_t>(cell)] = true;
        }
        REQUIRE(report.old_to_new()[2] == -1);
    }

    CHECK(came == std::vector<bool>{true, true, true, true, true, false});
}

TEST_CASE("a rewire that drops nothing keeps the topology itself", "[dst][rewire]") {
    const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 2, 4});

    const RewireReport report = rewire(before, {1, 2, 3}, MagnitudePruner{0}, UniformGrower{});

    CHECK(report.after() == before);
    CHECK(report.dropped() == 0);
    CHECK(report.grown() == 0);
    CHECK(Cells(report.new_to_old().begin(), report.new_to_old().end()) == Cells{0, 1, 2});
    CHECK(Cells(report.old_to_new().begin(), report.old_to_new().end()) == Cells{0, 1, 2});
}

TEST_CASE("a rewire that drops something makes a new version", "[dst][rewire]") {
    const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 2, 4});

    const RewireReport report = rewire(before, {1, 2, 3}, MagnitudePruner{0.3}, UniformGrower{});

    CHECK(report.after()->version() != before->version());
    CHECK(cells_of(*before) == Cells{0, 2, 4});
}

TEST_CASE("a pruner that returns what it must not is stopped", "[dst][rewire]") {
    const std::string reason = "propose_rewire: the pruner must return ascending entries of 4, at most 5";

    CHECK(refusal({{1, 0}}, {{1, 3}}) == reason);
    CHECK(refusal({{1, 1}}, {{1, 3}}) == reason);
    CHECK(refusal({{4}}, {{1}}) == reason);
    CHECK(refusal({{-1}}, {{1}}) == reason);
    CHECK(refusal({{std::numeric_limits<Size>::max()}}, {{1}}) == reason);
    CHECK(refusal({{0, 1, 2, 3, 4}}, {{1, 3, 5, 6, 7}}) == reason);
}

TEST_CASE("a pruner that drops more than is free is stopped", "[dst][rewire]") {
    const TopologyPtr before = Topology::from_cells(2, 2, Cells{0, 1, 2});

    const std::string text = text_of<TopologyError>([&] {
        rewire(before, {1, 2, 3}, FixedPruner{{0, 1}}, FixedGrower{{3, 3}});
    });

    CHECK(contains(text, "at most 1"));
}

TEST_CASE("a grower that returns what it must not is stopped", "[dst][rewire]") {
    const std::string reason = "propose_rewire: the grower must return 2 ascending cells of 9";

    CHECK(refusal({{0, 1}}, {{3, 1}}) == reason);
    CHECK(refusal({{0, 1}}, {{3, 3}}) == reason);
    CHECK(refusal({{0, 1}}, {{1, 9}}) == reason);
    CHECK(refusal({{0, 1}}, {{-1, 1}}) == reason);
    CHECK(refusal({{0, 1}}, {{1}}) == reason);
    CHECK(refusal({{0, 1}}, {{1, 3, 5}}) == reason);
    CHECK(refusal({{0, 1}}, {{}}) == reason);
}

TEST_CASE("a grower that returns a stored cell is stopped, even one that was just dropped", "[dst][rewire]") {
    CHECK(refusal({{0}}, {{4}}) == "propose_rewire: the grower returned (1, 1), which has an entry");
    CHECK(refusal({{0}}, {{0}}) == "propose_rewire: the grower returned (0, 0), which has an entry");
    CHECK(refusal({{3}}, {{8}}) == "propose_rewire: the grower returned (2, 2), which has an entry");
    CHECK(refusal({{0, 1}}, {{1, 8}}) == "propose_rewire: the grower returned (2, 2), which has an entry");
}

TEST_CASE("values of another extent than the topology are refused", "[dst][rewire]") {
    const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 2, 4});
    const std::vector<double> values = {1, 2, 3, 4};
    HostContext ctx({.threads = 1});

    for (const std::size_t size : {std::size_t{2}, std::size_t{4}}) {
        CHECK_THROWS_AS(
            propose_rewire(ctx, before, std::span(values).first(size), MagnitudePruner{0.3}, UniformGrower{}, {}),
            ShapeError);
    }
}

TEST_CASE("what a rule throws passes through, and no memory is left behind", "[dst][rewire]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 2, 4});
    const std::vector<double> values = {1, 2, 3};
    const std::span<const double> view(values);

    REQUIRE_THROWS_AS(propose_rewire(ctx, before, view, MagnitudePruner{2}, UniformGrower{}, {}), ArgumentError);
    REQUIRE_THROWS_AS(propose_rewire(ctx, before, view, MagnitudePruner{0.3}, FixedGrower{{4}}, {}), TopologyError);

    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("whichever allocation of a rewire fails, nothing leaks", "[dst][rewire]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const TopologyPtr before = Topology::from_cells(3, 3, Cells{0, 2, 4});
    const std::vector<double> values = {1, 2, 3};

    Size failures = -1;
    for (bool failed = true; failed;) {
        allocator.fail_at_call = allocator.calls + ++failures;
        try {
            propose_rewire(ctx, before, std::span<const double>(values), MagnitudePruner{0.6}, UniformGrower{}, {});
            failed = false;
        } catch (const std::bad_alloc&) {
        }
        REQUIRE(allocator.live_bytes == 0);
    }

    CHECK(failures >= 6);  // dropped, grown, cells, two maps, and a topology at least
}
