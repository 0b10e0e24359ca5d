// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The kernel that looks for the first index at which a predicate holds: how arrays on a device are checked.

#include <snack/core/types.hpp>
#include <snack/simt/launch_shape.hpp>

namespace snack::inline v0::simt {

/// Lowers *found to the smallest i of [0, count) for which predicate(i) holds.
template <class Predicate>
struct FindFirst {
    static constexpr const char* name = "find_first";
    static constexpr int block_threads = 256;

    Size count;
    Predicate predicate;
    Size* found;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size i = thread.global_index();
        if (i < count && predicate(i)) {
            thread.atomic_min(found, i);
        }
    }

    LaunchShape shape() const { return {.blocks_x = blocks_for(count, block_threads)}; }
};

}  // namespace snack::inline v0::simt
