// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The generator agrees with its published vectors, keys stay apart, and what is derived from its
// bits is exactly uniform.

#include <cstdint>
#include <set>

#include <snack/core/random.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

namespace {

__extension__ typedef unsigned __int128 Wide;
constexpr Wide two_to_64 = Wide{1} << 64;

bool equal(const PhiloxBlock& a, const PhiloxBlock& b) {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] && a.word[3] == b.word[3];
}

/// The smallest 64-bit draw whose product with `bound` has the high half `outcome`.
Wide first_draw(std::uint64_t outcome, std::uint64_t bound) {
    return (outcome * two_to_64 + bound - 1) / bound;
}

/// How many of all 2^64 draws give `outcome`: draws of one outcome are neighbours, and only the
/// first of them can be thrown away, since the next one's low half is larger by `bound`.
std::uint64_t draws_of(std::uint64_t outcome, std::uint64_t bound) {
    const Wide begin = first_draw(outcome, bound);
    const Wide end = first_draw(outcome + 1, bound);
    const bool first_is_thrown_away = bounded_draw(static_cast<std::uint64_t>(begin), bound) == -1;
    return static_cast<std::uint64_t>(end - begin) - (first_is_thrown_away ? 1 : 0);
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the known answers of Random123", "[core][random]") {
    const std::uint32_t ones = 0xffffffffu;

    CHECK(equal(philox4x32_10({{0, 0, 0, 0}}, 0, 0), {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}}));
    CHECK(equal(philox4x32_10({{ones, ones, ones, ones}}, ones, ones),
                {{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}}));
    CHECK(equal(philox4x32_10({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0xa4093822u, 0x299f31d0u),
                {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}}));
}

TEST_CASE("random bits can be had at compile time", "[core][random]") {
    constexpr std::uint64_t bits = random_bits(RandomKey{}, 0);
    static_assert(bits != random_bits(RandomKey{}, 1));

    CHECK(bits == random_bits(RandomKey{}, 0));
}

TEST_CASE("every bit of every field of a random key leads to other numbers", "[core][random]") {
    std::vector<RandomKey> keys(1);
    for (int bit = 0; bit < 64; ++bit) {
        keys.push_back({.seed = std::uint64_t{1} << bit});
    }
    for (int bit = 0; bit < 32; ++bit) {
        keys.push_back({.stream = std::uint32_t{1} << bit});
        keys.push_back({.rewire_count = std::uint32_t{1} << bit});
    }
    for (const Purpose purpose : {Purpose::topology, Purpose::values, Purpose::growth}) {
        keys.push_back({.purpose = purpose});
    }

    std::set<std::uint64_t> draws;
    for (const RandomKey& key : keys) {
        for (std::uint64_t index = 0; index < 50; ++index) {
            draws.insert(random_bits(key, index));
        }
    }

    CHECK(draws.size() == keys.size() * 50);
}

TEST_CASE("every bit of the index leads to another number", "[core][random]") {
    const RandomKey key{.seed = 7};

    std::set<std::uint64_t> draws = {random_bits(key, 0)};
    for (int bit = 0; bit < 49; ++bit) {
        draws.insert(random_bits(key, std::uint64_t{1} << bit));
    }

    CHECK(draws.size() == 50);
}

TEST_CASE("two draws are the halves of one block", "[core][random]") {
    const RandomKey key{.seed = 11, .stream = 3};

    for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 48) - 1}) {
        const PhiloxBlock words = random_block(key, block);
        CHECK(random_bits(key, 2 * block) == (std::uint64_t{words.word[1]} << 32 | words.word[0]));
        CHECK(random_bits(key, 2 * block + 1) == (std::uint64_t{words.word[3]} << 32 | words.word[2]));
    }
}

TEST_CASE("the 128-bit product agrees with the compiler's", "[core][random]") {
    std::vector<std::uint64_t> factors = {0, 1, 2, 0xffffffffu, 0x100000000u, 0x8000000000000000u, ~std::uint64_t{0}};
    for (std::uint64_t index = 0; index < 100; ++index) {
        factors.push_back(random_bits({.seed = 1}, index) >> (index % 64));
    }

    for (const std::uint64_t a : factors) {
        for (const std::uint64_t b : factors) {
            const WideProduct product = multiply_wide(a, b);
            const Wide expected = Wide{a} * b;
            REQUIRE(product.high == static_cast<std::uint64_t>(expected >> 64));
            REQUIRE(product.low == static_cast<std::uint64_t>(expected));
        }
    }
}

TEST_CASE("every outcome of a bounded draw has equally many draws", "[core][random]") {
    for (std::uint64_t bound = 1; bound <= 300; ++bound) {
        for (std::uint64_t outcome = 0; outcome < bound; ++outcome) {
            CAPTURE(bound, outcome);
            REQUIRE(draws_of(outcome, bound) == static_cast<std::uint64_t>(two_to_64 / bound));
        }
    }
}

TEST_CASE("outcomes of large bounds are equally likely too", "[core][random]") {
    const std::uint64_t bound =
        GENERATE(std::uint64_t{4294967296}, std::uint64_t{4294967297}, std::uint64_t{40000000000},
                 (std::uint64_t{1} << 62) - 1, (std::uint64_t{1} << 62) + 1);

    for (std::uint64_t index = 0; index < 1000; ++index) {
        const std::uint64_t outcome = random_bits({.seed = 2}, index) % bound;
        CAPTURE(bound, outcome);
        REQUIRE(draws_of(outcome, bound) == static_cast<std::uint64_t>(two_to_64 / bound));
    }
}

TEST_CASE("a bounded draw ascends with the bits and stays below the bound", "[core][random]") {
    const std::uint64_t bound = GENERATE(std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1000003});

    CHECK(bounded_draw(~std::uint64_t{0}, bound) == static_cast<Size>(bound - 1));
    for (std::uint64_t outcome = 0; outcome < 3 && outcome < bound; ++outcome) {
        const auto first = static_cast<std::uint64_t>(first_draw(outcome, bound));
        CHECK(bounded_draw(first + 1, bound) == static_cast<Size>(outcome));
    }
}

TEST_CASE("no draw is thrown away when the bound is a power of two", "[core][random]") {
    const int shift = GENERATE(0, 1, 10, 32, 62);

    CHECK(bounded_draw(0, std::uint64_t{1} << shift) == 0);
    CHECK(draws_of(0, std::uint64_t{1} << shift) == static_cast<std::uint64_t>(two_to_64 >> shift));
}

TEST_CASE("uniform numbers are symmetric about zero and never zero", "[core][random]") {
    const double scale = GENERATE(1.0, 0.1, 3e10);

    for (std::uint64_t index = 0; index < 1000; ++index) {
        const std::uint64_t bits = random_bits({.seed = 3}, index);
        REQUIRE(symmetric_uniform(bits, scale) == -symmetric_uniform(~bits, scale));
    }
    const std::uint64_t middle = std::uint64_t{1} << 63;
    CHECK(symmetric_uniform(middle, scale) > 0);
    CHECK(symmetric_uniform(middle - 1, scale) < 0);
}

TEST_CASE("uniform numbers stay strictly within the scale", "[core][random]") {
    CHECK(symmetric_uniform(~std::uint64_t{0}, 1.0) == 1 - 0x1p-52);
    CHECK(symmetric_uniform(0, 1.0) == -(1 - 0x1p-52));
    CHECK(symmetric_uniform(~std::uint64_t{0}, 0x1p-100) == (1 - 0x1p-52) * 0x1p-100);
    CHECK(symmetric_uniform(~std::uint64_t{0}, 0.0) == 0);
}
