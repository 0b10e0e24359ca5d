// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pruner agrees with a stable sort by magnitude: exact counts, a stated order for ties, and a
// stated rank for what is not a number.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <snack/concepts/rewiring.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/memory/host_context.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

constexpr Size no_limit = std::numeric_limits<Size>::max();

template <class T>
std::vector<Size> dropped(const std::vector<T>& values, double fraction, Size limit = no_limit) {
    HostContext ctx({.threads = 1});
    std::vector<Size> cells(values.size());
    std::iota(cells.begin(), cells.end(), Size{0});
    const TopologyPtr topology = Topology::from_cells(1, static_cast<Size>(values.size()), cells);
    const Buffer<Size> entries = MagnitudePruner{fraction}.select(ctx, *topology, std::span<const T>(values), limit);
    return {entries.begin(), entries.end()};
}

/// The entries of smallest magnitude by a stable sort; NaN counts as less than zero.
template <class T>
std::vector<Size> smallest(const std::vector<T>& values, Size count) {
    std::vector<Size> order(values.size());
    std::iota(order.begin(), order.end(), Size{0});
    const auto magnitude = [&](Size entry) {
        const T value = values[static_cast<std::size_t>(entry)];
        return std::isnan(value) ? T{-1} : std::fabs(value);
    };
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return magnitude(a) < magnitude(b); });
    order.resize(static_cast<std::size_t>(count));
    std::sort(order.begin(), order.end());
    return order;
}

template <class T>
void require_smallest_at_every_count(const std::vector<T>& values) {
    const auto nnz = static_cast<Size>(values.size());
    for (Size count = 0; count <= nnz; ++count) {
        CAPTURE(count);
        REQUIRE(dropped(values, static_cast<double>(count) / static_cast<double>(nnz)) == smallest(values, count));
    }
}

template <class T>
std::vector<T> awkward_numbers() {
    using Limits = std::numeric_limits<T>;
    return {Limits::quiet_NaN(),
            -Limits::quiet_NaN(),
            T{0},
            T{-0.0},
            Limits::denorm_min(),
            -Limits::denorm_min(),
            Limits::min(),
            -Limits::min(),
            T{1},
            T{-1},
            std::nextafter(T{1}, T{2}),
            std::nextafter(T{1}, T{0}),
            Limits::max(),
            Limits::lowest(),
            Limits::infinity(),
            -Limits::infinity()};
}

/// Any bit pattern at all, NaN with every payload among them.
template <class T>
T any_number(tests::Dice& dice) {
    const auto high = static_cast<std::uint32_t>(dice.below(Size{1} << 32));
    if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(high);
    } else {
        return std::bit_cast<T>(std::uint64_t{high} << 32 | static_cast<std::uint64_t>(dice.below(Size{1} << 32)));
    }
}

}  // namespace

TEMPLATE_TEST_CASE("the smallest magnitudes go, at every count", "[dst][pruner]", float, double) {
    tests::Dice dice(1);
    for (int round = 0; round < 10; ++round) {
        std::vector<TestType> values;
        for (Size left = 1 + dice.below(120); left > 0; --left) {
            values.push_back(static_cast<TestType>(dice.below(2000001) - 1000000) / 7);
        }
        require_smallest_at_every_count(values);
    }
}

TEMPLATE_TEST_CASE("magnitudes of any bit pattern are ordered", "[dst][pruner]", float, double) {
    tests::Dice dice(2);
    for (int round = 0; round < 10; ++round) {
        std::vector<TestType> values(100);
        for (TestType& value : values) {
            value = any_number<TestType>(dice);
        }
        require_smallest_at_every_count(values);
    }
}

TEMPLATE_TEST_CASE("NaN goes first, infinity last, and zeros of both signs are equal", "[dst][pruner]", float, double) {
    tests::Dice dice(3);
    const std::vector<TestType> numbers = awkward_numbers<TestType>();
    for (int round = 0; round < 20; ++round) {
        std::vector<TestType> values;
        for (int i = 0; i < 70; ++i) {
            values.push_back(numbers[static_cast<std::size_t>(dice.below(static_cast<Size>(numbers.size())))]);
        }
        require_smallest_at_every_count(values);
    }
}

TEMPLATE_TEST_CASE("magnitudes that differ in their last bit are told apart", "[dst][pruner]", float, double) {
    std::vector<TestType> values = {TestType{1}};
    for (int i = 0; i < 40; ++i) {
        values.push_back(std::nextafter(values.back(), TestType{0}));
    }

    require_smallest_at_every_count(values);
    std::reverse(values.begin(), values.end());
    require_smallest_at_every_count(values);
}

TEST_CASE("equal magnitudes go by position, the earlier first", "[dst][pruner]") {
    CHECK(dropped(std::vector<float>(10, 1.0f), 0.3) == std::vector<Size>{0, 1, 2});
    CHECK(dropped(std::vector<float>{2, -1, 1, -1, 2}, 0.4) == std::vector<Size>{1, 2});
    CHECK(dropped(std::vector<double>{0.0, 1, -0.0, 0.0}, 0.5) == std::vector<Size>{0, 2});
}

TEST_CASE("the fraction is rounded to the nearest count", "[dst][pruner]") {
    const auto count = [](std::size_t nnz, double fraction) {
        return dropped(std::vector<float>(nnz, 1.0f), fraction).size();
    };

    CHECK(count(100, 0.29) == 29);
    CHECK(count(3, 0.1) == 0);
    CHECK(count(10, 0.04) == 0);
    CHECK(count(10, 0.06) == 1);
    CHECK(count(5, 0.5) == 3);
    CHECK(count(200, 0.3) == 60);
    for (std::size_t percent = 0; percent <= 100; ++percent) {
        CHECK(count(100, static_cast<double>(percent) / 100) == percent);
    }
}

TEST_CASE("no more than the limit go", "[dst][pruner]") {
    const std::vector<double> values = {5, 4, 3, 2, 1};

    CHECK(dropped(values, 1.0, 5) == std::vector<Size>{0, 1, 2, 3, 4});
    CHECK(dropped(values, 1.0, 2) == std::vector<Size>{3, 4});
    CHECK(dropped(values, 0.4, 1) == std::vector<Size>{4});
    CHECK(dropped(values, 0.4, 0).empty());
}

TEST_CASE("nothing goes from nothing", "[dst][pruner]") {
    CHECK(dropped(std::vector<float>{}, 1.0).empty());
    CHECK(dropped(std::vector<float>{}, 0.0).empty());
    CHECK(dropped(std::vector<float>{1}, 0.0).empty());
}

TEST_CASE("a fraction outside 0 and 1 is refused", "[dst][pruner]") {
    const double fraction =
        GENERATE(-0.1, 1.1, -std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());

    REQUIRE_THROWS_AS(dropped(std::vector<float>{1, 2}, fraction), ArgumentError);
    REQUIRE_THROWS_AS(dropped(std::vector<float>{}, fraction), ArgumentError);
}

TEST_CASE("the text about a refused fraction tells it", "[dst][pruner]") {
    CHECK(tests::text_of<ArgumentError>([] { dropped(std::vector<float>{1}, 1.5); }) ==
          "MagnitudePruner: fraction 1.5 is not between 0 and 1");
}

TEST_CASE("pruning a million values takes memory for the dropped entries only", "[dst][pruner]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    tests::Dice dice(4);
    std::vector<float> values(1 << 20);
    std::vector<Size> cells(values.size());
    std::iota(cells.begin(), cells.end(), Size{0});
    for (float& value : values) {
        value = static_cast<float>(dice.below(5000)) / 3;
    }
    const TopologyPtr topology = Topology::from_cells(1 << 10, 1 << 10, cells);

    const Buffer<Size> entries = MagnitudePruner{0.3}.select(ctx, *topology, std::span<const float>(values), no_limit);

    CHECK(std::vector<Size>(entries.begin(), entries.end()) == smallest(values, entries.size()));
    CHECK(allocator.peak_bytes == entries.bytes());
}

static_assert(Pruner<MagnitudePruner, float, HostContext> && Pruner<MagnitudePruner, double, HostContext>);
