// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scratch space stays where it is, is not taken twice, and stays within its bound.

#include <cstdint>
#include <new>
#include <vector>

#include <snack/core/random.hpp>
#include <snack/memory/host_context.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::CountingAllocator;

TEST_CASE("a request that fits returns the same memory and allocates nothing", "[memory][scratch]") {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    double* const first = ctx.scratch<double>(0, 100).data();

    CHECK(ctx.scratch<double>(0, 100).data() == first);
    CHECK(ctx.scratch<double>(0, 1).data() == first);
    CHECK(ctx.scratch<char>(0, 800).data() == reinterpret_cast<char*>(first));
    CHECK(allocator.calls == 1);
}

TEST_CASE("scratch space has the extent asked for and starts on a cache line", "[memory][scratch]") {
    HostContext ctx({.threads = 1});

    for (Size count = 1; count < 200; count += 7) {
        const std::span<float> space = ctx.scratch<float>(static_cast<int>(count), count);
        REQUIRE(static_cast<Size>(space.size()) == count);
        REQUIRE(reinterpret_cast<std::uintptr_t>(space.data()) % 64 == 0);
    }
    CHECK(ctx.scratch<float>(0, 0).empty());
}

TEST_CASE("slots do not share memory", "[memory][scratch]") {
    HostContext ctx({.threads = 1});
    std::vector<std::span<Size>> spaces;
    for (int slot = 0; slot < 5; ++slot) {
        spaces.push_back(ctx.scratch<Size>(slot, 50));
    }

    for (std::size_t slot = 0; slot < 5; ++slot) {
        for (Size& element : spaces[slot]) {
            element = static_cast<Size>(slot);
        }
    }

    for (std::size_t slot = 0; slot < 5; ++slot) {
        for (const Size element : spaces[slot]) {
            REQUIRE(element == static_cast<Size>(slot));
        }
    }
}

TEST_CASE("a larger request leaves the smaller space where it is", "[memory][scratch]") {
    HostContext ctx({.threads = 1});
    const std::span<int> small = ctx.scratch<int>(0, 10);
    for (int& element : small) {
        element = 7;
    }

    const std::span<int> large = ctx.scratch<int>(0, 10000);
    for (int& element : large) {
        element = 8;
    }

    for (const int element : small) {
        REQUIRE(element == 7);
    }
    CHECK(ctx.scratch<int>(0, 10).data() == small.data());
    CHECK(ctx.scratch<int>(0, 10000).data() == large.data());
}

TEST_CASE("the space of a slot stays below four times its largest request", "[memory][scratch]") {
    const std::uint64_t seed = GENERATE(std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3});
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    Size largest = 0;

    for (std::uint64_t index = 0; index < 300; ++index) {
        const auto count = static_cast<Size>(random_bits({.seed = seed}, index) % (10 + 20 * index));
        largest = count > largest ? count : largest;
        ctx.scratch<char>(0, count);
        CAPTURE(index);
        REQUIRE(ctx.scratch_bytes() <= 4 * largest);
        REQUIRE(ctx.scratch_bytes() == allocator.live_bytes);
    }
}

TEST_CASE("requests that grow one by one take few blocks", "[memory][scratch]") {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});

    for (Size count = 1; count <= 1024; ++count) {
        ctx.scratch<char>(0, count);
    }

    CHECK(allocator.calls == 11);  // 1, 2, 4, ..., 1024
    CHECK(ctx.scratch_bytes() == 2047);
}

TEST_CASE("a refused request leaves the space that was there", "[memory][scratch]") {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const std::span<int> held = ctx.scratch<int>(0, 10);
    allocator.fail_at_call = allocator.calls;

    REQUIRE_THROWS_AS(ctx.scratch<int>(0, 11), std::bad_alloc);

    CHECK(ctx.scratch_bytes() == 40);
    CHECK(ctx.scratch<int>(0, 10).data() == held.data());
    CHECK(ctx.scratch<int>(0, 11).size() == 11);
}

TEST_CASE("scratch space whose bytes pass 64 bits is refused", "[memory][scratch]") {
    HostContext ctx({.threads = 1});

    REQUIRE_THROWS_AS(ctx.scratch<double>(0, Size{1} << 61), Error);
    REQUIRE_THROWS_AS(ctx.scratch<double>(0, -1), Error);

    CHECK(ctx.scratch_bytes() == 0);
}
