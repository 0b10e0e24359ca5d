// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Small kernels that between them use every word of the SIMT vocabulary. They compile for the host
// and for a GPU, so that both can be held against the same answers.

#include <snack/core/types.hpp>
#include <snack/simt/launch_shape.hpp>
#include <snack/simt/pack.hpp>

namespace tests {

using snack::Size;

/// Where a thread is: nine numbers each, in the order of the words in HostThread.
struct Places {
    static constexpr const char* name = "Places";
    static constexpr int block_threads = 64;
    static constexpr int numbers = 9;

    Size* to;  // (blocks, block_threads, numbers)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size block = thread.block_y() * thread.blocks_x() + thread.block_x();
        Size* const own = to + (block * thread.threads() + thread.index()) * numbers;
        own[0] = thread.index();
        own[1] = thread.lane();
        own[2] = thread.warp();
        own[3] = thread.threads();
        own[4] = thread.block_x();
        own[5] = thread.block_y();
        own[6] = thread.blocks_x();
        own[7] = thread.blocks_y();
        own[8] = thread.global_index();
    }
};

/// Four shuffles of each thread's number.
template <class T>
struct Shuffles {
    static constexpr const char* name = "Shuffles";
    static constexpr int block_threads = 64;

    const T* from;  // (threads)
    T* to;          // (threads, 4)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const T value = from[thread.global_index()];
        T* const own = to + thread.global_index() * 4;
        own[0] = thread.shuffle(value, 5);
        own[1] = thread.shuffle(value, (thread.lane() * 7 + 3) % snack::simt::warp_size);
        own[2] = thread.shuffle_down(value, 3);
        own[3] = thread.shuffle_xor(value, 21);
    }
};

/// Who votes: lanes whose number is a multiple of 3 in even warps, nobody in odd ones.
struct Votes {
    static constexpr const char* name = "Votes";
    static constexpr int block_threads = 64;

    std::uint32_t* ballots;  // (threads)
    int* any;                // (threads)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const bool vote = thread.warp() % 2 == 0 && thread.lane() % 3 == 0;
        ballots[thread.global_index()] = thread.ballot(vote);
        any[thread.global_index()] = thread.any(vote) ? 1 : 0;
    }
};

/// Adds up the numbers of a block in shared memory, then those of the blocks in `sum`.
template <class T>
struct AtomicSum {
    static constexpr const char* name = "AtomicSum";
    static constexpr int block_threads = 96;

    const T* from;  // (threads)
    T* sum;         // (1), added to

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        T* const block_sum = thread.template shared<T>();
        if (thread.index() == 0) {
            *block_sum = 0;
        }
        thread.sync_block();
        thread.atomic_add(block_sum, from[thread.global_index()]);
        thread.sync_block();
        if (thread.index() == 0) {
            thread.atomic_add(sum, *block_sum);
        }
    }
};

/// Reverses each block through shared memory, and each warp in a second array behind the first.
struct Reverse {
    static constexpr const char* name = "Reverse";
    static constexpr int block_threads = 128;
    static constexpr Size shared_bytes = block_threads * static_cast<Size>(sizeof(int) + sizeof(double));

    int* blocks;    // (threads)
    double* warps;  // (threads)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size at = thread.global_index();
        int* const of_block = thread.template shared<int>();
        double* const of_warp = thread.template shared<double>(block_threads * sizeof(int));
        of_block[thread.index()] = blocks[at];
        of_warp[thread.index()] = warps[at];
        thread.sync_warp();
        warps[at] = of_warp[thread.index() ^ 31];
        thread.sync_block();
        blocks[at] = of_block[block_threads - 1 - thread.index()];
    }
};

/// Copies with each kind of load.
template <class T>
struct Loads {
    static constexpr const char* name = "Loads";
    static constexpr int block_threads = 32;

    const T* from;  // (threads)
    T* streaming;   // (threads)
    T* read_only;   // (threads)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size at = thread.global_index();
        streaming[at] = thread.load_streaming(from + at);
        read_only[at] = thread.load_read_only(from + at);
    }
};

/// to = a + b, N elements a thread.
template <class T, int N>
struct PackSum {
    static constexpr const char* name = "PackSum";
    static constexpr int block_threads = 32;

    const T* a;  // (threads, N)
    const T* b;  // (threads, N)
    T* to;       // (threads, N)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size at = thread.global_index() * N;
        snack::simt::Pack<T, N> sum = thread.template load_pack<N>(a + at);
        const snack::simt::Pack<T, N> more = thread.template load_pack_streaming<N>(b + at);
        for (int i = 0; i < N; ++i) {
            sum.element[i] = static_cast<T>(sum.element[i] + more.element[i]);
        }
        thread.store_pack(to + at, sum);
    }
};

/// Sums of neighbours' tiles: each thread fetches N floats of each tile while the block adds up the
/// tile before; two tiles are in shared memory at a time.
template <int N>
struct Pipeline {
    static constexpr const char* name = "Pipeline";
    static constexpr int block_threads = 64;
    static constexpr int tile = block_threads * N;
    static constexpr Size shared_bytes = 2 * tile * static_cast<Size>(sizeof(float));

    const float* from;  // (tiles, tile)
    float* to;          // (tile): sum of from's tiles, each reversed
    int tiles;

    template <class Thread>
    SNACK_DEVICE void fetch(const Thread& thread, int number) const {
        if (number < tiles) {
            const int at = thread.index() * N;
            float* const shared = thread.template shared<float>() + number % 2 * tile;
            thread.template copy_async<N * sizeof(float)>(shared + at, from + static_cast<Size>(number) * tile + at);
        }
        thread.commit_async();
    }

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        float sums[N] = {};
        fetch(thread, 0);
        for (int number = 0; number < tiles; ++number) {
            fetch(thread, number + 1);
            thread.template wait_async<1>();
            thread.sync_block();
            const float* const shared = thread.template shared<float>() + number % 2 * tile;
            for (int i = 0; i < N; ++i) {
                sums[i] += shared[tile - 1 - (thread.index() * N + i)];
            }
            thread.sync_block();
        }
        thread.template wait_async<0>();
        for (int i = 0; i < N; ++i) {
            to[thread.index() * N + i] = sums[i];
        }
    }
};

/// The sum of each block in a fixed order: halving within warps, then over the warps.
template <class T>
struct BlockSum {
    static constexpr const char* name = "BlockSum";
    static constexpr int block_threads = 256;
    static constexpr Size shared_bytes = block_threads / snack::simt::warp_size * static_cast<Size>(sizeof(T));

    const T* from;  // (threads)
    T* sums;        // (blocks)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        T sum = from[thread.global_index()];
        for (int delta = snack::simt::warp_size / 2; delta > 0; delta /= 2) {
            sum += thread.shuffle_down(sum, delta);
        }
        T* const of_warps = thread.template shared<T>();
        if (thread.lane() == 0) {
            of_warps[thread.warp()] = sum;
        }
        thread.sync_block();
        if (thread.index() == 0) {
            for (int warp = 1; warp < block_threads / snack::simt::warp_size; ++warp) {
                sum += of_warps[warp];
            }
            sums[thread.block_x()] = sum;
        }
    }
};

/// Inclusive sums within each warp.
template <class T>
struct WarpScan {
    static constexpr const char* name = "WarpScan";
    static constexpr int block_threads = 64;

    const T* from;  // (threads)
    T* to;          // (threads)

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        T sum = from[thread.global_index()];
        for (int distance = 1; distance < snack::simt::warp_size; distance *= 2) {
            const bool has = thread.lane() >= distance;
            const T before = thread.shuffle(sum, has ? thread.lane() - distance : thread.lane());
            sum = has ? sum + before : sum;
        }
        to[thread.global_index()] = sum;
    }
};

}  // namespace tests
