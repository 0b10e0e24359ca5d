// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Searched by digits or held, the cut keeps as many ranks as it should, and the largest.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <snack/io/rank_cut.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using namespace snack::io::detail;

namespace {

template <class Rank>
RankCut<Rank> searched(const std::vector<Rank>& ranks, Size count, int* passes = nullptr) {
    RankSearch<Rank> search(count, nullptr);
    while (search.searching()) {
        for (const Rank rank : ranks) {
            search.see(rank);
        }
        search.next_digit();
        if (passes != nullptr) {
            ++*passes;
        }
    }
    return search.cut();
}

/// What is kept of the ranks, by position.
template <class Rank>
std::vector<std::size_t> kept(const std::vector<Rank>& ranks, RankCut<Rank> cut) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (cut.among_largest(ranks[i])) {
            positions.push_back(i);
        }
    }
    return positions;
}

/// The largest by a stable sort, by position.
template <class Rank>
std::vector<std::size_t> largest(const std::vector<Rank>& ranks, Size count) {
    std::vector<std::size_t> order(ranks.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] > ranks[b]; });
    order.resize(static_cast<std::size_t>(count));
    std::sort(order.begin(), order.end());
    return order;
}

}  // namespace

TEMPLATE_TEST_CASE("a cut keeps the largest ranks, at every count", "[io][rank_cut]", std::uint32_t, std::uint64_t) {
    tests::Dice dice(1);
    const int bits = static_cast<int>(sizeof(TestType)) * 8;
    for (int round = 0; round < 4; ++round) {
        std::vector<TestType> ranks(static_cast<std::size_t>(1 + dice.below(40)));
        for (TestType& rank : ranks) {  // few digits differ, in one place or another, so that many are equal
            rank = static_cast<TestType>(static_cast<TestType>(dice.below(5)) << (bits / 4 * dice.below(4)));
        }
        for (Size count = 0; count <= static_cast<Size>(ranks.size()); ++count) {
            std::vector<TestType> shuffled = ranks;
            CAPTURE(count);
            REQUIRE(kept(ranks, searched(ranks, count)) == largest(ranks, count));
            REQUIRE(kept(ranks, cut_at_largest(std::span(shuffled), count)) == largest(ranks, count));
        }
    }
}

TEST_CASE("a search ends with the digit that decides", "[io][rank_cut]") {
    const std::vector<std::uint64_t> ranks = {std::uint64_t{5} << 48, std::uint64_t{4} << 48, 3, 3, 2};
    int passes = 0;

    CHECK(kept(ranks, searched(ranks, 1, &passes)).size() == 1);
    CHECK(passes == 1);
    passes = 0;
    CHECK(kept(ranks, searched(ranks, 3, &passes)) == std::vector<std::size_t>{0, 1, 2});
    CHECK(passes == 4);
    passes = 0;
    CHECK(kept(ranks, searched(ranks, 0, &passes)).empty());
    CHECK(passes == 0);
}

TEST_CASE("a set that lost members between two passes does not lead beyond the counters", "[io][rank_cut]") {
    RankSearch<std::uint32_t> search(3, nullptr);
    search.see(9u << 16);
    search.see(8u << 16);
    search.see(8u << 16 | 1);
    search.see(8u << 16 | 2);
    search.next_digit();
    REQUIRE(search.searching());
    search.next_digit();
    CHECK_FALSE(search.searching());
}
