// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The kernel that runs a functor for each index: what optimisers, activations and small steps of
// rewiring are made of.

#include <snack/core/types.hpp>
#include <snack/simt/launch_shape.hpp>

namespace snack::inline v0::simt {

/// body(i) for each i in [0, count).
template <class Body>
struct ForEachIndex {
    static constexpr const char* name = "for_each_index";
    static constexpr int block_threads = 256;

    Size count;
    Body body;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size step = thread.blocks_x() * block_threads;
        for (Size i = thread.global_index(); i < count; i += step) {
            body(i);
        }
    }

    /// Enough blocks to fill the device a few times over, and no more.
    static LaunchShape shape(Size count, int multiprocessors) {
        constexpr Size blocks_per_multiprocessor = 32;
        const Size wanted = blocks_for(count, block_threads);
        const Size most = blocks_per_multiprocessor * multiprocessors;
        return {.blocks_x = wanted < most ? wanted : most};
    }
};

/// to[i] = value.
template <class T>
struct FillElement {
    T* to;
    T value;

    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] = value; }
};

}  // namespace snack::inline v0::simt
