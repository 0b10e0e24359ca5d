// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The maps of a report are each other's inverse, and any per-connection array can follow them in
// place, whatever its type.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/rewire.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <tests/dst/rules.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::Dice;

namespace {

using Cells = std::vector<Size>;

/// Something as long as no register, with an owner in it.
struct Record {
    double weight = 0;
    std::int32_t age = 0;
    std::string name;
    bool operator==(const Record&) const = default;
};

template <class T>
T element(Size i) {
    if constexpr (std::is_same_v<T, Record>) {
        return {static_cast<double>(i), static_cast<std::int32_t>(-i), "connection number " + std::to_string(i)};
    } else {
        return static_cast<T>(i);
    }
}

template <class T>
std::vector<T> elements(Size count) {
    std::vector<T> array;
    for (Size i = 0; i < count; ++i) {
        array.push_back(element<T>(i));
    }
    return array;
}

RewireReport rewire(const TopologyPtr& before, const Cells& dropped, const Cells& grown) {
    HostContext ctx({.threads = 1});
    const std::vector<float> values(static_cast<std::size_t>(before->nnz()));
    return propose_rewire(ctx, before, std::span<const float>(values), tests::FixedPruner{dropped},
                          tests::FixedGrower{grown}, {});
}

/// A rewire of a random matrix with any entries dropped and any free cells grown.
RewireReport random_rewire(Dice& dice) {
    const Size out_features = 1 + dice.below(12);
    const Size in_features = 1 + dice.below(12);
    const Size all = out_features * in_features;
    const Size nnz = dice.below(all + 1);
    Cells chosen = dice.cells(all, nnz);
    const TopologyPtr before = Topology::from_cells(out_features, in_features, chosen);
    Cells free;
    for (Size cell = 0; cell < all; ++cell) {
        if (!std::binary_search(chosen.begin(), chosen.end(), cell)) {
            free.push_back(cell);
        }
    }
    const Size count = dice.below(std::min(nnz, all - nnz) + 1);
    Cells grown;
    for (const Size rank : dice.cells(all - nnz, count)) {
        grown.push_back(free[static_cast<std::size_t>(rank)]);
    }
    return rewire(before, dice.cells(nnz, count), grown);
}

/// The same by a copy.
template <class T>
std::vector<T> mapped(const RewireReport& report, const std::vector<T>& array, const T& fill) {
    std::vector<T> result;
    for (const Size from : report.new_to_old()) {
        result.push_back(from < 0 ? fill : array[static_cast<std::size_t>(from)]);
    }
    return result;
}

}  // namespace

TEST_CASE("the maps of a rewire are each other's inverse and keep the order", "[dst][report]") {
    Dice dice(1);
    for (int round = 0; round < 500; ++round) {
        const RewireReport report = random_rewire(dice);
        const auto new_to_old = report.new_to_old();
        const auto old_to_new = report.old_to_new();
        const Cells before = tests::cells_of(*report.before());
        const Cells after = tests::cells_of(*report.after());

        REQUIRE(new_to_old.size() == after.size());
        REQUIRE(old_to_new.size() == before.size());
        Size grown = 0;
        Size last = -1;
        for (std::size_t e = 0; e < after.size(); ++e) {
            if (new_to_old[e] < 0) {
                REQUIRE(new_to_old[e] == -1);
                ++grown;
                continue;
            }
            const auto from = static_cast<std::size_t>(new_to_old[e]);
            REQUIRE(old_to_new[from] == static_cast<Size>(e));
            REQUIRE(before[from] == after[e]);
            REQUIRE(new_to_old[e] > last);
            last = new_to_old[e];
        }
        REQUIRE(grown == report.grown());
        REQUIRE(std::count(old_to_new.begin(), old_to_new.end(), -1) == report.dropped());
    }
}

TEMPLATE_TEST_CASE("an array follows a rewire in place as it would by a copy", "[dst][report]", double, float,
                   std::int64_t, std::uint8_t, Record) {
    Dice dice(2);
    for (int round = 0; round < 300; ++round) {
        const RewireReport report = random_rewire(dice);
        const std::vector<TestType> array = elements<TestType>(report.before()->nnz());
        const TestType fill = element<TestType>(99);

        std::vector<TestType> moved = array;
        report.apply_map(std::span(moved), fill);

        REQUIRE(moved == mapped(report, array, fill));
    }
}

TEST_CASE("all entries can move left, all right, or all be replaced", "[dst][report]") {
    const TopologyPtr before = Topology::from_cells(1, 10, Cells{2, 3, 4, 5});
    const auto moved = [&](const Cells& dropped, const Cells& grown) {
        std::vector<Size> array = {20, 30, 40, 50};
        rewire(before, dropped, grown).apply_map(std::span(array), Size{-5});
        return array;
    };

    CHECK(moved({0}, {9}) == std::vector<Size>{30, 40, 50, -5});
    CHECK(moved({3}, {0}) == std::vector<Size>{-5, 20, 30, 40});
    CHECK(moved({0, 3}, {0, 1}) == std::vector<Size>{-5, -5, 30, 40});
    CHECK(moved({0, 3}, {8, 9}) == std::vector<Size>{30, 40, -5, -5});
    CHECK(moved({1, 2}, {1, 6}) == std::vector<Size>{-5, 20, 50, -5});
    CHECK(moved({0, 1, 2, 3}, {0, 1, 8, 9}) == std::vector<Size>{-5, -5, -5, -5});
    CHECK(moved({}, {}) == std::vector<Size>{20, 30, 40, 50});
}

TEST_CASE("bits of NaN and signed zero are carried as they are", "[dst][report]") {
    const RewireReport report = rewire(Topology::from_cells(1, 5, Cells{1, 2, 3}), {0}, {4});
    const double payload = std::bit_cast<double>(std::uint64_t{0x7ff8000000abcdefu});
    std::vector<double> array = {1, -0.0, payload};

    report.apply_map(std::span(array), 0.0);

    CHECK(std::bit_cast<std::uint64_t>(array[0]) == std::uint64_t{1} << 63);
    CHECK(std::bit_cast<std::uint64_t>(array[1]) == 0x7ff8000000abcdefu);
    CHECK(std::bit_cast<std::uint64_t>(array[2]) == 0);
}

TEST_CASE("an array of the wrong extent is left alone", "[dst][report]") {
    const RewireReport report = rewire(Topology::from_cells(1, 5, Cells{1, 2, 3}), {0}, {4});
    const std::size_t size = GENERATE(std::size_t{0}, std::size_t{2}, std::size_t{4});
    std::vector<int> array(size, 7);

    const std::string text = tests::text_of<ShapeError>([&] { report.apply_map(std::span(array), 0); });

    CHECK(
        tests::contains(text, "RewireReport::apply_map: span of " + std::to_string(size) + " elements for 3 entries"));
    CHECK(array == std::vector<int>(size, 7));
}

TEST_CASE("maps of two rewires in a row can be applied one after the other", "[dst][report]") {
    Dice dice(3);
    for (int round = 0; round < 100; ++round) {
        const Size nnz = 1 + dice.below(40);
        const TopologyPtr first = Topology::from_cells(8, 10, dice.cells(80, nnz));
        HostContext ctx({.threads = 1});
        Cells ages = tests::cells_of(*first);
        TopologyPtr current = first;

        for (std::uint32_t rewires = 0; rewires < 4; ++rewires) {
            const std::vector<float> values(static_cast<std::size_t>(nnz), 1.0f);
            const RewireReport report =
                propose_rewire(ctx, current, std::span<const float>(values), MagnitudePruner{0.3}, UniformGrower{},
                               {.rewire_count = rewires});
            report.apply_map(std::span(ages), Size{-1});
            current = report.after();
        }

        // What survived all four still stands at its cell.
        const Cells cells = tests::cells_of(*current);
        for (std::size_t e = 0; e < cells.size(); ++e) {
            REQUIRE((ages[e] == -1 || ages[e] == cells[e]));
        }
    }
}

TEST_CASE("the fill may be an element of the array itself", "[dst][report]") {
    HostContext ctx({.threads = 1});
    const TopologyPtr before = Topology::from_cells(1, 4, std::vector<Size>{0, 1, 2});
    const std::vector<double> values = {0, 5, 6};
    const RewireReport report =
        propose_rewire(ctx, before, std::span<const double>(values), MagnitudePruner{0.3}, UniformGrower{}, {});
    std::vector<int> array = {7, 8, 9};

    report.apply_map(array, array[0]);

    CHECK(array == std::vector<int>{8, 9, 7});
}
