// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The radix sort agrees with the standard library's stable sort, payload included.

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include <snack/sparse/radix_sort.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::Dice;

namespace {

using Pairs = std::vector<std::pair<Size, Size>>;

/// Keys in [0, bound) with their position as payload.
Pairs random_pairs(Dice& dice, Size count, Size bound) {
    Pairs pairs;
    for (Size i = 0; i < count; ++i) {
        pairs.emplace_back(dice.below(bound), i);
    }
    return pairs;
}

Pairs sorted_by_radix(const Pairs& pairs, Size bound) {
    const auto count = static_cast<Size>(pairs.size());
    Buffer<Size> keys(count);
    Buffer<Size> payload(count);
    for (Size i = 0; i < count; ++i) {
        std::tie(keys[i], payload[i]) = pairs[static_cast<std::size_t>(i)];
    }
    radix_sort(keys, bound, &payload);
    Pairs sorted;
    for (Size i = 0; i < count; ++i) {
        sorted.emplace_back(keys[i], payload[i]);
    }
    return sorted;
}

Pairs sorted_by_library(Pairs pairs) {
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return pairs;
}

}  // namespace

TEST_CASE("keys and payload are sorted as by a stable sort", "[sparse][radix_sort]") {
    Dice dice(1);
    for (const Size bound : {Size{1}, Size{2}, Size{5}, Size{2047}, Size{2048}, Size{2049}, Size{1} << 22,
                             (Size{1} << 22) + 1, Size{1} << 33, max_features * max_features, Size{1} << 62}) {
        for (const Size count : {0, 1, 2, 3, 10, 100, 3000}) {
            const Pairs pairs = random_pairs(dice, count, bound);
            CAPTURE(bound, count);
            REQUIRE(sorted_by_radix(pairs, bound) == sorted_by_library(pairs));
        }
    }
}

TEST_CASE("the extremes of every bound are sorted", "[sparse][radix_sort]") {
    for (int bits = 0; bits < 63; ++bits) {
        const Size bound = Size{1} << bits;
        const Pairs pairs = {{bound - 1, 0}, {0, 1}, {bound / 2, 2}, {bound - 1, 3}, {0, 4}};
        CAPTURE(bits);
        REQUIRE(sorted_by_radix(pairs, bound) == sorted_by_library(pairs));
    }
}

TEST_CASE("keys are sorted without a payload", "[sparse][radix_sort]") {
    Dice dice(2);
    Buffer<Size> keys(1000);
    for (Size& key : keys) {
        key = dice.below(Size{1} << 40);
    }
    std::vector<Size> expected(keys.begin(), keys.end());
    std::sort(expected.begin(), expected.end());

    radix_sort(keys, Size{1} << 40);

    CHECK(std::vector<Size>(keys.begin(), keys.end()) == expected);
}

TEST_CASE("sorting what is sorted changes nothing", "[sparse][radix_sort]") {
    Dice dice(3);
    const Pairs once = sorted_by_radix(random_pairs(dice, 500, 50), 50);

    CHECK(sorted_by_radix(once, 50) == once);
}

TEST_CASE("the sort takes its memory from the keys' allocator and returns it", "[sparse][radix_sort]") {
    tests::CountingAllocator allocator;
    Buffer<Size> keys(100, 3, &allocator);
    Buffer<Size> payload(100, 4, &allocator);

    radix_sort(keys, 1 << 12, &payload);

    CHECK(allocator.live_bytes == 1600);
    CHECK(allocator.calls > 2);
    CHECK(keys.allocator() == &allocator);
    CHECK(payload.allocator() == &allocator);
}

TEST_CASE("a refused allocation leaves keys and payload as they were", "[sparse][radix_sort]") {
    tests::CountingAllocator allocator;
    for (Size failing = 0; failing < 3; ++failing) {
        Buffer<Size> keys(2, &allocator);
        keys[0] = 9;
        keys[1] = 1;
        Buffer<Size> payload = keys.clone();
        allocator.fail_at_call = allocator.calls + failing;

        REQUIRE_THROWS_AS(radix_sort(keys, 10, &payload), std::bad_alloc);

        CHECK(keys[0] == 9);
        CHECK(payload[0] == 9);
    }
    CHECK(allocator.live_bytes == 0);
}
