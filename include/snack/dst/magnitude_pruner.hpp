// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Drops the connections of smallest magnitude: the pruning half of SET and RigL (paper,
// appendix G prunes 5 % this way). Exact counts and a stated order, so every device agrees.

#include <concepts>
#include <span>

#include <snack/concepts/context.hpp>
#include <snack/core/error.hpp>
#include <snack/core/magnitude.hpp>
#include <snack/core/math.hpp>
#include <snack/core/scalar.hpp>
#include <snack/core/span.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

namespace detail {

/// Finds the cut at the `count` smallest by radix selection from the top digit down: a pass over the values for each
/// eleven bits, 16 KiB of counters, no copy of the values. 0 < count <= values.size().
template <class T>
auto smallest_ranks(std::span<const T> values, Size count) {
    using Bits = MagnitudeRank<T>;
    constexpr int width = static_cast<int>(sizeof(Bits)) * 8;
    constexpr int digit = 11;
    Bits prefix = 0;
    for (int high = width; high > 0; high -= digit) {
        const int shift = high > digit ? high - digit : 0;
        const Bits known = high == width ? Bits{0} : static_cast<Bits>(static_cast<Bits>(-1) << high);
        Size bins[1 << digit] = {};
        for (const T value : values) {
            const Bits rank = magnitude_rank(value);
            if ((rank & known) == prefix) {
                ++bins[rank >> shift & ((1 << (high - shift)) - 1)];
            }
        }
        Bits bin = 0;
        for (; bins[bin] < count; ++bin) {
            count -= bins[bin];
        }
        prefix |= static_cast<Bits>(bin << shift);
    }
    return RankCut<Bits>{prefix, count};
}

}  // namespace detail

/// The positions of the `count` smallest magnitudes, ascending; ties go to the earlier position.
/// O(nnz) time.
template <class Context, Scalar T>
Buffer<Size> smallest_entries(Context& ctx, std::span<const T> values, Size count) {
    auto entries = ctx.template allocate<Size>(count);
    if (count == 0) {
        return entries;
    }
    auto cut = detail::smallest_ranks(values, count);
    Size found = 0;
    for (Size e = 0; found < count; ++e) {
        if (cut.among_smallest(detail::magnitude_rank(values.data()[e]))) {
            entries[found++] = e;
        }
    }
    return entries;
}

/// Drops round(fraction * nnz) connections of smallest |w|.
///
/// Ties go by position, the earlier entry first. NaN ranks below zero, so it goes first; infinity
/// goes last. At most `limit` are dropped (rewire passes the number of free cells).
struct MagnitudePruner {
    double fraction = 0.3;

    /// @param values  nnz elements
    /// O(nnz) time.
    /// @throws ArgumentError unless 0 <= fraction <= 1
    template <class Context, class Span>
    auto select(Context& ctx, const TopologyIn<typename Context::space>& topology, Span values, Size limit) const {
        require<ArgumentError>(fraction >= 0 && fraction <= 1, "MagnitudePruner", "fraction ", fraction,
                               " is not between 0 and 1");
        const auto wanted = math::llround(fraction * static_cast<double>(topology.nnz()));
        return smallest_entries(ctx, values, wanted < limit ? wanted : limit);
    }
};

}  // namespace snack::inline v0
