// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Algorithm 2 of the paper on a GPU: the same cells for the same key as on the host, drawn in the same
// rounds of draw, sort and merge. The count of what is still missing is all that the host learns.

#include <utility>

#include <snack/core/random.hpp>
#include <snack/sparse/cell_steps.hpp>
#include <snack/sparse/cuda_algorithms.cuh>

namespace snack::inline v0 {

namespace detail {

/// draws[i] = draw number first + i below `population`, or -1 where the draw is thrown away.
struct BoundedDraw {
    RandomKey key;
    std::uint64_t first;
    std::uint64_t population;
    Size* draws;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        draws[i] = bounded_draw(random_bits(key, first + static_cast<std::uint64_t>(i)), population);
    }
};

/// marks[i]: fresh[i] if it is a draw, the first of its kind, and not in `known` (both ascending); -1 otherwise.
struct MarkDistinct {
    const Size* known;
    Size known_count;
    const Size* fresh;
    Size* marks;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const Size draw = fresh[i];
        const bool repeats = i > 0 && fresh[i - 1] == draw;
        const Size at = lower_bound(known, known_count, draw);
        const bool is_known = at < known_count && known[at] == draw;
        marks[i] = draw < 0 || repeats || is_known ? Size{-1} : draw;
    }
};

struct IsMarked {
    SNACK_HOST_DEVICE bool operator()(Size mark) const { return mark >= 0; }
};

/// Puts element i of one ascending array where it belongs among those of another without common elements.
struct MergeInto {
    const Size* from;
    const Size* other;
    Size other_count;
    Size* merged;

    SNACK_HOST_DEVICE void operator()(Size i) const { merged[i + lower_bound(other, other_count, from[i])] = from[i]; }
};

/// Both ascending, without common elements.
inline DeviceBuffer<Size> merge(CudaContext& ctx, const DeviceBuffer<Size>& a, const DeviceBuffer<Size>& b) {
    DeviceBuffer<Size> merged = ctx.allocate<Size>(a.size() + b.size());
    ctx.for_each_index(a.size(), MergeInto{a.data(), b.data(), b.size(), merged.data()});
    ctx.for_each_index(b.size(), MergeInto{b.data(), a.data(), a.size(), merged.data()});
    return merged;
}

/// The first `count` distinct draws from [0, population), ascending. A draw that is thrown away leaves its
/// round one short, and a later round makes up for it, so the set is the host's.
inline DeviceBuffer<Size> first_distinct_draws(CudaContext& ctx, const RandomKey& key, Size population, Size count) {
    DeviceBuffer<Size> found = ctx.allocate<Size>(0);
    for (std::uint64_t index = 0; found.size() < count;) {
        const Size missing = count - found.size();
        DeviceBuffer<Size> draws = ctx.allocate<Size>(missing);
        ctx.for_each_index(missing, BoundedDraw{key, index, static_cast<std::uint64_t>(population), draws.data()});
        index += static_cast<std::uint64_t>(missing);
        DeviceBuffer<Size> fresh = select_if(ctx, draws, IsMarked());
        sort_keys(ctx, fresh, population);
        DeviceBuffer<Size> marks = ctx.allocate<Size>(fresh.size());
        ctx.for_each_index(fresh.size(), MarkDistinct{found.data(), found.size(), fresh.data(), marks.data()});
        found = merge(ctx, found, select_if(ctx, marks, IsMarked()));
    }
    return found;
}

/// chosen[i] = number i of those that `left_out` (ascending) lacks.
struct NumberNotIn {
    const Size* left_out;
    Size left_out_count;
    Size* chosen;

    /// left_out[j] - j numbers below left_out[j] are not left out.
    SNACK_HOST_DEVICE void operator()(Size i) const {
        chosen[i] = i + partition_point(left_out_count, [&](Size j) { return left_out[j] - j <= i; });
    }
};

}  // namespace detail

/// The same numbers for the same key as on the host, in GPU memory. Waits for the stream a few times.
/// @throws ArgumentError unless 0 <= count <= population
inline DeviceBuffer<Size> sample_without_replacement(CudaContext& ctx, const RandomKey& key, Size population,
                                                     Size count) {
    require<ArgumentError>(count >= 0 && count <= population, "sample_without_replacement", "cannot draw ", count,
                           " distinct numbers out of ", population);
    if (count <= population / 2) {
        return detail::first_distinct_draws(ctx, key, population, count);
    }
    const DeviceBuffer<Size> left_out = detail::first_distinct_draws(ctx, key, population, population - count);
    DeviceBuffer<Size> chosen = ctx.allocate<Size>(count);
    ctx.for_each_index(count, detail::NumberNotIn{left_out.data(), left_out.size(), chosen.data()});
    return chosen;
}

}  // namespace snack::inline v0
