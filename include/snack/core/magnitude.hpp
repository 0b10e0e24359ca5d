// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The one order of weights by magnitude that everything which prunes agrees on, and how many weights a
// sparsity leaves.

#include <cstdint>
#include <type_traits>

#include <snack/core/error.hpp>
#include <snack/core/math.hpp>

namespace snack::inline v0::detail {

/// An unsigned integer that orders values by magnitude: NaN first, then 0, ..., infinity.
template <class T>
SNACK_HOST_DEVICE auto magnitude_rank(T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Bits bits = __builtin_bit_cast(Bits, value) & (static_cast<Bits>(-1) >> 1);
    const Bits infinity = sizeof(T) == 4 ? Bits{0x7f800000u} : static_cast<Bits>(0x7ff0000000000000u);
    const bool is_nan = bits > infinity;  // also under -ffast-math
    return is_nan ? Bits{0} : static_cast<Bits>(bits + 1);
}

template <class T>
using MagnitudeRank = decltype(magnitude_rank(T{}));

/// Splits a set at its smallest or at its largest ranks: those beyond `rank`, and the first `ties` equal to it. Its
/// members are to be asked for once each, in order.
template <class Rank>
struct RankCut {
    Rank rank = static_cast<Rank>(-1);  // above every rank: none is among the largest
    Size ties = 0;

    SNACK_HOST_DEVICE bool among_largest(Rank member) { return member > rank || (member == rank && ties-- > 0); }
    SNACK_HOST_DEVICE bool among_smallest(Rank member) { return member < rank || (member == rank && ties-- > 0); }
};

/// (1 - sparsity) cells, rounded to nearest; long double, since cells may pass 2^53.
inline Size entries_of_cells(const char* where, Size cells, double sparsity) {
    require<ArgumentError>(sparsity >= 0 && sparsity <= 1, where, "sparsity ", sparsity, " is not between 0 and 1");
    return math::llround((1.0L - static_cast<long double>(sparsity)) * static_cast<long double>(cells));
}

}  // namespace snack::inline v0::detail
