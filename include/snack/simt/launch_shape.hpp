// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a kernel is, and the grid it is launched on: the same for the device and for the host.

#include <concepts>
#include <type_traits>

#include <snack/core/error.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0::simt {

/// Lanes of a warp; a shuffle or a vote is among these.
inline constexpr int warp_size = 32;

/// The most dynamic shared memory that a block can have on any device: 227 KiB, as on sm_90.
inline constexpr Size max_shared_bytes = 227 * 1024;

/// A functor that runs once per thread of a grid:
///
///   struct Fill {
///       static constexpr const char* name = "Fill";     // in the text of errors
///       static constexpr int block_threads = 256;       // a multiple of 32, at most 1024
///       float* to;                                      // operands by value
///       template <class Thread>
///       SNACK_DEVICE void operator()(const Thread& thread) const { to[thread.global_index()] = 0; }
///   };
///
/// It is trivially copyable, its body neither throws nor keeps objects with destructors across a
/// collective, and it reaches the hardware through `thread` alone.
template <class K>
concept KernelFunctor = std::is_trivially_copyable_v<K> && requires {
    { K::name } -> std::convertible_to<const char*>;
    requires K::block_threads >
    0 && K::block_threads <= 1024 && K::block_threads % warp_size == 0;
};

/// The most blocks of a grid in y on any device; in x it takes 2^31 - 1.
inline constexpr Size max_blocks_y = 65535;

/// How many blocks of `per_block` elements hold `count` elements.
constexpr Size blocks_for(Size count, Size per_block) {
    return (count + per_block - 1) / per_block;
}

/// The most blocks of a cluster that every device with clusters (sm_90 and newer) takes.
inline constexpr int max_cluster_blocks = 8;

/// A grid of blocks_x * blocks_y blocks, each with `shared_bytes` of dynamic shared memory.
/// cluster_x neighbours in x make a cluster, whose blocks run at the same time and reach each other's
/// shared memory. A grid with no blocks launches nothing.
struct LaunchShape {
    Size blocks_x = 1;
    Size blocks_y = 1;
    Size shared_bytes = 0;
    int cluster_x = 1;

    bool empty() const { return blocks_x == 0 || blocks_y == 0; }
};

/// @throws ArgumentError for a grid, clusters or an amount of shared memory that no device takes
inline void check(const LaunchShape& shape, const char* kernel) {
    require<ArgumentError>(shape.blocks_x >= 0 && shape.blocks_x <= 0x7fffffff, kernel, shape.blocks_x,
                           " blocks in x; a grid takes 0 to 2^31 - 1");
    require<ArgumentError>(shape.blocks_y >= 0 && shape.blocks_y <= max_blocks_y, kernel, shape.blocks_y,
                           " blocks in y; a grid takes 0 to ", max_blocks_y);
    require<ArgumentError>(shape.shared_bytes >= 0 && shape.shared_bytes <= max_shared_bytes, kernel,
                           shape.shared_bytes, " bytes of shared memory; a block takes 0 to ", max_shared_bytes);
    require<ArgumentError>(shape.cluster_x >= 1 && shape.cluster_x <= max_cluster_blocks, kernel, shape.cluster_x,
                           " blocks in a cluster; a cluster takes 1 to ", max_cluster_blocks);
    require<ArgumentError>(shape.blocks_x % shape.cluster_x == 0, kernel, shape.blocks_x,
                           " blocks in x are not a multiple of the ", shape.cluster_x, " of a cluster");
}

}  // namespace snack::inline v0::simt
