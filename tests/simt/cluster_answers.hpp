// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs each kernel of clusters in a context, on the host or on a GPU, and holds it against plain loops.

#include <vector>

#include <snack/core/types.hpp>
#include <tests/simt/cluster_kernels.hpp>
#include <tests/simt/operand.hpp>
#include <tests/simt/orders.hpp>
#include <tests/support/catch.hpp>

namespace tests {

/// The block `steps` after this one in the ring that its cluster is.
inline Size further_on(Size block, Size steps, Size cluster) {
    return block / cluster * cluster + (block + steps) % cluster;
}

template <class Context>
void check_cluster_places(Context& ctx, int cluster) {
    const Size clusters = 3, blocks_y = 2, threads = ClusterPlaces::block_threads;
    std::vector<Size> want;
    for (Size block = 0; block < clusters * cluster * blocks_y; ++block) {
        const Size x = block % (clusters * cluster);
        for (Size thread = 0; thread < threads; ++thread) {
            want.insert(want.end(), {x % cluster, cluster, x / cluster});
        }
    }
    Operand<Context, Size> to(ctx, std::vector<Size>(want.size(), -1));

    ctx.launch(ClusterPlaces{to.data()}, {.blocks_x = clusters * cluster, .blocks_y = blocks_y, .cluster_x = cluster});

    CHECK(to.numbers() == want);
}

template <class Context>
void check_cluster_ring(Context& ctx, int cluster) {
    const Size blocks = 4 * cluster, threads = ClusterRing::block_threads;
    Operand<Context, int> from(ctx, counting<int>(blocks * threads, 5));
    Operand<Context, int> to(ctx, std::vector<int>(static_cast<std::size_t>(blocks * threads)));
    std::vector<int> want;
    for (Size i = 0; i < blocks * threads; ++i) {
        const Size mirrored = threads - 1 - i % threads;
        const Size once = further_on(i / threads, 1, cluster) * threads + mirrored;
        const Size twice = further_on(i / threads, 2, cluster) * threads + mirrored;
        want.push_back(static_cast<int>(twice + 5 - 3 * (once + 5)));
    }

    ctx.launch(ClusterRing{from.data(), to.data()},
               {.blocks_x = blocks, .shared_bytes = ClusterRing::shared_bytes, .cluster_x = cluster});

    CHECK(to.numbers() == want);
}

template <class T, int N, class Context>
void check_cluster_packs(Context& ctx, int cluster) {
    using Kernel = ClusterPacks<T, N>;
    const Size blocks = 2 * cluster, numbers = Kernel::block_numbers;
    Operand<Context, T> from(ctx, counting<T>(blocks * numbers));
    Operand<Context, T> to(ctx, std::vector<T>(static_cast<std::size_t>(blocks * numbers)));
    std::vector<T> want;
    for (Size i = 0; i < blocks * numbers; ++i) {
        want.push_back(static_cast<T>(further_on(i / numbers, 2, cluster) * numbers + i % numbers));
    }

    ctx.launch(Kernel{from.data(), to.data()},
               {.blocks_x = blocks, .shared_bytes = Kernel::shared_bytes, .cluster_x = cluster});

    CHECK(to.numbers() == want);
}

template <class Context>
void check_cluster_tile(Context& ctx, int cluster) {
    const Size clusters = 3, threads = ClusterTile::block_threads, blocks = clusters * cluster;
    Operand<Context, float> from(ctx, counting<float>(clusters * threads, 1));
    Operand<Context, float> to(ctx, std::vector<float>(static_cast<std::size_t>(blocks * threads)));
    std::vector<float> want;
    for (Size block = 0; block < blocks; ++block) {
        for (Size i = 0; i < threads; ++i) {
            want.push_back(static_cast<float>((block % cluster + 1) * (block / cluster * threads + i + 1)));
        }
    }

    ctx.launch(ClusterTile{from.data(), to.data()},
               {.blocks_x = blocks, .shared_bytes = ClusterTile::shared_bytes, .cluster_x = cluster});

    CHECK(to.numbers() == want);
}

template <class T, class Context>
void check_cluster_sum(Context& ctx, int cluster) {
    const Size clusters = 3, threads = ClusterSum<T>::block_threads, summands = threads * cluster;
    Operand<Context, T> from(ctx, counting<T>(clusters * summands));
    Operand<Context, T> atomic(ctx, std::vector<T>(static_cast<std::size_t>(clusters), -1));
    Operand<Context, T> ordered(ctx, std::vector<T>(static_cast<std::size_t>(clusters), -1));
    std::vector<T> want;
    for (Size i = 0; i < clusters; ++i) {
        want.push_back(static_cast<T>(i * summands * summands + summands * (summands - 1) / 2));
    }

    ctx.launch(ClusterSum<T>{from.data(), atomic.data(), ordered.data()},
               {.blocks_x = clusters * cluster, .shared_bytes = ClusterSum<T>::shared_bytes, .cluster_x = cluster});

    CHECK(atomic.numbers() == want);
    CHECK(ordered.numbers() == want);
}

/// Each word for clusters of `cluster` blocks.
template <class Context>
void check_clusters(Context& ctx, int cluster) {
    CAPTURE(cluster);
    check_cluster_places(ctx, cluster);
    check_cluster_ring(ctx, cluster);
    check_cluster_packs<float, 1>(ctx, cluster);
    check_cluster_packs<float, 4>(ctx, cluster);
    check_cluster_packs<double, 2>(ctx, cluster);
    check_cluster_tile(ctx, cluster);
    check_cluster_sum<float>(ctx, cluster);
    check_cluster_sum<double>(ctx, cluster);
}

}  // namespace tests
