// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which weights are among the largest, found without sorting and without holding them: by counting digits of
// their ranks from the top down. Ranks are those of the magnitude pruner.

#include <algorithm>
#include <functional>
#include <span>

#include <snack/core/magnitude.hpp>
#include <snack/memory/buffer.hpp>

namespace snack::inline v0::io::detail {

using snack::detail::magnitude_rank;
using snack::detail::MagnitudeRank;
using snack::detail::RankCut;

/// Finds the cut at the `count` largest of a set that is shown digit by digit, 16 bits of the rank each: while
/// `searching()`, all members go to `see`, then `next_digit`. 512 KiB of counters.
template <class Rank>
class RankSearch {
public:
    RankSearch(Size count, Allocator* allocator)
        : bins_(count > 0 ? Size{1} << digit : 0, 0, allocator),
          cut_{count > 0 ? Rank{0} : static_cast<Rank>(-1), count} {
        searching_ = count > 0;
    }

    bool searching() const noexcept { return searching_; }

    void see(Rank rank) noexcept {
        if ((rank & known_) == cut_.rank) {
            ++bins_[static_cast<Size>(rank >> shift_ & last_bin)];
        }
    }

    void next_digit() noexcept {
        Size bin = last_bin;
        for (; bin > 0 && bins_[bin] < cut_.ties; --bin) {
            cut_.ties -= bins_[bin];
        }
        const bool whole = bins_[bin] == cut_.ties;  // further digits would tell apart what is kept together
        cut_.rank |= static_cast<Rank>(static_cast<Rank>(bin) << shift_);
        known_ |= static_cast<Rank>(static_cast<Rank>(last_bin) << shift_);
        searching_ = shift_ > 0 && !whole;
        shift_ -= digit;
        bins_.fill(0);
    }

    const RankCut<Rank>& cut() const noexcept { return cut_; }

private:
    static constexpr int digit = 16;
    static constexpr Rank last_bin = (1u << digit) - 1;

    Buffer<Size> bins_;
    RankCut<Rank> cut_;
    Rank known_ = 0;
    int shift_ = static_cast<int>(sizeof(Rank)) * 8 - digit;
    bool searching_ = false;
};

/// So many are held rather than searched by digits: as many as a search has counters.
inline constexpr Size few_ranks = Size{1} << 16;

/// The cut at the `count` largest of a few ranks, which are put in another order. 0 <= count <= ranks.size().
template <class Rank>
RankCut<Rank> cut_at_largest(std::span<Rank> ranks, Size count) {
    if (count == 0) {
        return {};
    }
    const auto last = ranks.begin() + (count - 1);
    std::nth_element(ranks.begin(), last, ranks.end(), std::greater<>());
    const auto larger = std::count_if(ranks.begin(), last, [&](Rank rank) { return rank > *last; });
    return {*last, count - larger};
}

}  // namespace snack::inline v0::io::detail
