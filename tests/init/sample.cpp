// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sampling gives exactly the paper's "first n distinct draws", at any size, in near-linear time.

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <vector>

#include <snack/init/sample.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

using Numbers = std::vector<Size>;

Numbers sample(const RandomKey& key, Size population, Size count, Allocator* allocator = nullptr) {
    const Buffer<Size> drawn = sample_without_replacement(key, population, count, allocator);
    return {drawn.begin(), drawn.end()};
}

/// Algorithm 2 of the paper, word for word: draw until `count` distinct numbers are in a hash set.
Numbers hash_set_sample(const RandomKey& key, Size population, Size count) {
    std::unordered_set<Size> chosen;
    for (std::uint64_t index = 0; static_cast<Size>(chosen.size()) < count; ++index) {
        const Size draw = bounded_draw(random_bits(key, index), static_cast<std::uint64_t>(population));
        if (draw >= 0) {
            chosen.insert(draw);
        }
    }
    Numbers numbers(chosen.begin(), chosen.end());
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

Numbers complement(const Numbers& numbers, Size population) {
    Numbers rest;
    auto next = numbers.begin();
    for (Size number = 0; number < population; ++number) {
        if (next != numbers.end() && *next == number) {
            ++next;
        } else {
            rest.push_back(number);
        }
    }
    return rest;
}

/// Strictly ascending within [0, population).
bool is_sample(const Numbers& numbers, Size population) {
    Size last = -1;
    for (const Size number : numbers) {
        if (number <= last || number >= population) {
            return false;
        }
        last = number;
    }
    return true;
}

}  // namespace

TEST_CASE("every count out of every small population is drawn exactly", "[init][sample]") {
    for (Size population = 0; population <= 40; ++population) {
        for (Size count = 0; count <= population; ++count) {
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                const Numbers numbers = sample({.seed = seed}, population, count);
                CAPTURE(population, count, seed);
                REQUIRE(static_cast<Size>(numbers.size()) == count);
                REQUIRE(is_sample(numbers, population));
            }
        }
    }
}

TEST_CASE("a sample is the first distinct draws", "[init][sample]") {
    for (const Size population : {1, 2, 3, 10, 99, 100, 1000, 20000}) {
        for (Size count = 0; count <= population / 2; count += 1 + population / 20) {
            const RandomKey key{.seed = static_cast<std::uint64_t>(population), .stream = 1};
            CAPTURE(population, count);
            REQUIRE(sample(key, population, count) == hash_set_sample(key, population, count));
        }
    }
}

TEST_CASE("above half the population the numbers left out are the first distinct draws", "[init][sample]") {
    for (const Size population : {1, 2, 3, 10, 99, 100, 1000, 20000}) {
        for (Size count = population / 2 + 1; count <= population; count += 1 + population / 20) {
            const RandomKey key{.seed = static_cast<std::uint64_t>(population), .stream = 2};
            CAPTURE(population, count);
            REQUIRE(sample(key, population, count) ==
                    complement(hash_set_sample(key, population, population - count), population));
        }
    }
}

TEST_CASE("more draws of one key only add numbers", "[init][sample]") {
    const Numbers all = sample({.seed = 6}, 1000, 500);
    const std::unordered_set<Size> known(all.begin(), all.end());

    for (const Size count : {1, 10, 100, 499}) {
        for (const Size number : sample({.seed = 6}, 1000, count)) {
            REQUIRE(known.count(number) == 1);
        }
    }
}

TEST_CASE("the same key gives the same numbers whatever the allocator", "[init][sample]") {
    tests::CountingAllocator allocator;

    CHECK(sample({.seed = 7}, 5000, 1200) == sample({.seed = 7}, 5000, 1200, &allocator));
    CHECK(sample({.seed = 7}, 5000, 4200) == sample({.seed = 7}, 5000, 4200, &allocator));
    CHECK(sample({.seed = 7}, 5000, 1200) != sample({.seed = 8}, 5000, 1200));
    CHECK(allocator.calls > 0);
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("few numbers out of a huge population are drawn", "[init][sample]") {
    // A quarter of the draws below 3 2^61 are thrown away, none below a power of two.
    const Size population = GENERATE(Size{1} << 33, max_features * max_features, Size{1} << 62, Size{3} << 61,
                                     std::numeric_limits<Size>::max());

    const Numbers numbers = sample({.seed = 9}, population, 1000);

    CHECK(numbers.size() == 1000);
    CHECK(is_sample(numbers, population));
    CHECK(numbers.back() > population / 2);
    CHECK(numbers == hash_set_sample({.seed = 9}, population, 1000));
}

TEST_CASE("a thousand of 40 thousand million cells take little memory", "[init][sample]") {
    tests::CountingAllocator allocator;
    allocator.cap_bytes = 100000;

    const Numbers numbers = sample({.seed = 10}, Size{200000} * 200000, 1000, &allocator);

    CHECK(numbers.size() == 1000);
    CHECK(is_sample(numbers, Size{200000} * 200000));
    CHECK(numbers.back() > Size{1} << 32);
}

TEST_CASE("all cells of a full matrix are drawn once", "[init][sample]") {
    Numbers everything(512 * 512);
    std::iota(everything.begin(), everything.end(), Size{0});

    CHECK(sample({.seed = 11}, 512 * 512, 512 * 512) == everything);
    CHECK(sample({.seed = 11}, 512 * 512, 512 * 512 - 1).size() == 512 * 512 - 1);
}

TEST_CASE("a count that the population does not hold is refused", "[init][sample]") {
    const auto refused = [](Size population, Size count) {
        return tests::text_of<ArgumentError>([&] { sample({}, population, count); });
    };

    CHECK(refused(10, 11) == "sample_without_replacement: cannot draw 11 distinct numbers out of 10");
    CHECK(tests::contains(refused(10, -1), "cannot draw -1"));
    CHECK(tests::contains(refused(0, 1), "out of 0"));
    CHECK(tests::contains(refused(-5, 0), "out of -5"));
}
