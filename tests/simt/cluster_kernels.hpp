// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Small kernels whose blocks work together in clusters. They compile for the host and for a GPU.

#include <snack/core/types.hpp>
#include <snack/simt/launch_shape.hpp>
#include <snack/simt/pack.hpp>

namespace tests {

using snack::Size;

/// Where a block is in its cluster: three numbers a thread.
struct ClusterPlaces {
    static constexpr const char* name = "ClusterPlaces";
    static constexpr int block_threads = 32;

    Size* to;  // (blocks, block_threads, 3)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size block = thread.block_y() * thread.blocks_x() + thread.block_x();
        Size* const own = to + (block * block_threads + thread.index()) * 3;
        own[0] = thread.cluster_rank();
        own[1] = thread.cluster_size();
        own[2] = thread.cluster_index();
    }
};

/// Each block reads what the next one of its cluster has, and hands it on to the one before.
/// The result is numbered like the operand: to[block][i] = from[next of next][last - i] - 3 * from[next][last - i].
struct ClusterRing {
    static constexpr const char* name = "ClusterRing";
    static constexpr int block_threads = 64;
    static constexpr Size shared_bytes = 2 * block_threads * static_cast<Size>(sizeof(int));

    const int* from;  // (blocks_x, block_threads)
    int* to;          // (blocks_x, block_threads)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const int size = thread.cluster_size();
        const int next = (thread.cluster_rank() + 1) % size;
        const int previous = (thread.cluster_rank() + size - 1) % size;
        int* const numbers = thread.template shared<int>();
        int* const mail = numbers + block_threads;
        numbers[thread.index()] = from[thread.global_index()];
        thread.sync_cluster();
        const int number = thread.cluster_shared(numbers, next)[block_threads - 1 - thread.index()];
        thread.cluster_shared(mail, previous)[thread.index()] = number;
        thread.sync_cluster();
        to[thread.global_index()] = mail[thread.index()] - 3 * number;
    }
};

/// The same road in packs: to[block] = from[next of next].
template <class T, int N>
struct ClusterPacks {
    static constexpr const char* name = "ClusterPacks";
    static constexpr int block_threads = 64;
    static constexpr int block_numbers = block_threads * N;
    static constexpr Size shared_bytes = 2 * block_numbers * static_cast<Size>(sizeof(T));

    const T* from;  // (blocks_x, block_numbers)
    T* to;          // (blocks_x, block_numbers)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const int size = thread.cluster_size();
        const int next = (thread.cluster_rank() + 1) % size;
        const int previous = (thread.cluster_rank() + size - 1) % size;
        T* const numbers = thread.template shared<T>() + thread.index() * N;
        T* const mail = numbers + block_numbers;
        thread.store_pack(numbers, thread.template load_pack<N>(from + thread.global_index() * N));
        thread.sync_cluster();
        const T* const theirs = thread.cluster_shared(static_cast<const T*>(numbers), next);
        thread.store_pack(thread.cluster_shared(mail, previous), thread.template load_pack<N>(theirs));
        thread.sync_cluster();
        thread.store_pack(to + thread.global_index() * N, thread.template load_pack<N>(mail));
    }
};

/// The first block of each cluster fetches a tile for all: to[block] = (rank + 1) * from[cluster].
struct ClusterTile {
    static constexpr const char* name = "ClusterTile";
    static constexpr int block_threads = 64;
    static constexpr Size shared_bytes = block_threads * static_cast<Size>(sizeof(float));

    const float* from;  // (clusters, block_threads)
    float* to;          // (blocks_x, block_threads)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        float* const own = thread.template shared<float>() + thread.index();
        if (thread.cluster_rank() == 0) {
            thread.template copy_async<4>(own, from + thread.cluster_index() * block_threads + thread.index());
            thread.commit_async();
            thread.template wait_async<0>();
        }
        thread.sync_cluster();
        const float number = *thread.cluster_shared(own, 0);
        to[thread.global_index()] = static_cast<float>(thread.cluster_rank() + 1) * number;
        thread.sync_cluster();
    }
};

/// The sum of each cluster: threads add to the first block's memory in any order, which whole numbers do not
/// mind; then the blocks' shares are added in the order of their ranks, two reductions of the same cluster.
template <class T>
struct ClusterSum {
    static constexpr const char* name = "ClusterSum";
    static constexpr int block_threads = 96;
    static constexpr Size shared_bytes = 2 * static_cast<Size>(sizeof(T));

    const T* from;  // (blocks_x, block_threads)
    T* atomic;      // (clusters)
    T* ordered;     // (clusters)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        T* const sums = thread.template shared<T>();  // of the cluster, of the block
        if (thread.index() < 2) {
            sums[thread.index()] = 0;
        }
        thread.sync_cluster();
        const T number = from[thread.global_index()];
        thread.atomic_add(thread.cluster_shared(sums, 0), number);
        thread.atomic_add(sums + 1, number);
        thread.sync_cluster();
        if (thread.cluster_rank() == 0 && thread.index() == 0) {
            T sum = 0;
            for (int rank = 0; rank < thread.cluster_size(); ++rank) {
                sum += *thread.cluster_shared(sums + 1, rank);
            }
            atomic[thread.cluster_index()] = *sums;
            ordered[thread.cluster_index()] = sum;
        }
        thread.sync_cluster();
    }
};

}  // namespace tests
