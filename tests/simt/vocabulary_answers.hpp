// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs each kernel of the vocabulary in a context, on the host or on a GPU, and holds it against plain loops.

#include <cmath>
#include <cstdint>
#include <vector>

#include <snack/core/types.hpp>
#include <tests/simt/operand.hpp>
#include <tests/simt/orders.hpp>
#include <tests/simt/vocabulary_kernels.hpp>
#include <tests/support/catch.hpp>

namespace tests {

template <class Context>
void check_places(Context& ctx) {
    constexpr Size blocks_x = 3, blocks_y = 2, threads = Places::block_threads;
    std::vector<Size> want;
    for (Size y = 0; y < blocks_y; ++y) {
        for (Size x = 0; x < blocks_x; ++x) {
            for (Size i = 0; i < threads; ++i) {
                want.insert(want.end(), {i, i % 32, i / 32, threads, x, y, blocks_x, blocks_y, x * threads + i});
            }
        }
    }
    Operand<Context, Size> to(ctx, std::vector<Size>(want.size(), -1));

    ctx.launch(Places{to.data()}, {.blocks_x = blocks_x, .blocks_y = blocks_y});

    CHECK(to.numbers() == want);
}

template <class T, class Context>
void check_shuffles(Context& ctx) {
    constexpr Size blocks = 2, threads = blocks * Shuffles<T>::block_threads;
    const std::vector<T> numbers = counting<T>(threads, 7);
    std::vector<T> want;
    for (Size i = 0; i < threads; ++i) {
        const Size warp = i / 32 * 32, lane = i % 32;
        const Size sources[] = {5, (lane * 7 + 3) % 32, lane + 3 < 32 ? lane + 3 : lane, lane ^ 21};
        for (const Size source : sources) {
            want.push_back(numbers[static_cast<std::size_t>(warp + source)]);
        }
    }
    Operand<Context, T> from(ctx, numbers);
    Operand<Context, T> to(ctx, std::vector<T>(want.size()));

    ctx.launch(Shuffles<T>{from.data(), to.data()}, {.blocks_x = blocks});

    CHECK(to.numbers() == want);
}

template <class Context>
void check_votes(Context& ctx) {
    std::vector<std::uint32_t> want_ballots(Votes::block_threads, 0);
    std::vector<int> want_any(Votes::block_threads, 0);
    for (std::size_t i = 0; i < 32; ++i) {
        want_ballots[i] = 0x49249249u;
        want_any[i] = 1;
    }
    Operand<Context, std::uint32_t> ballots(ctx, std::vector<std::uint32_t>(want_ballots.size(), 5));
    Operand<Context, int> any(ctx, std::vector<int>(want_any.size(), 5));

    ctx.launch(Votes{ballots.data(), any.data()}, {});

    CHECK(ballots.numbers() == want_ballots);
    CHECK(any.numbers() == want_any);
}

template <class T, class Context>
void check_atomic_sum(Context& ctx) {
    constexpr Size blocks = 5, threads = blocks * AtomicSum<T>::block_threads;
    Operand<Context, T> from(ctx, counting<T>(threads));
    Operand<Context, T> sum(ctx, {1000});

    ctx.launch(AtomicSum<T>{from.data(), sum.data()}, {.blocks_x = blocks, .shared_bytes = sizeof(T)});

    CHECK(sum.numbers() == std::vector<T>{1000 + threads * (threads - 1) / 2});
}

template <class Context>
void check_reverse(Context& ctx) {
    constexpr Size blocks = 2, block_threads = Reverse::block_threads, threads = blocks * block_threads;
    Operand<Context, int> of_block(ctx, counting<int>(threads));
    Operand<Context, double> of_warp(ctx, counting<double>(threads));
    std::vector<int> want_of_block;
    std::vector<double> want_of_warp;
    for (Size i = 0; i < threads; ++i) {
        const Size block = i / block_threads * block_threads;
        want_of_block.push_back(static_cast<int>(block + block_threads - 1 - i % block_threads));
        want_of_warp.push_back(static_cast<double>(i ^ 31));
    }

    ctx.launch(Reverse{of_block.data(), of_warp.data()}, {.blocks_x = blocks, .shared_bytes = Reverse::shared_bytes});

    CHECK(of_block.numbers() == want_of_block);
    CHECK(of_warp.numbers() == want_of_warp);
}

template <class T, class Context>
void check_loads(Context& ctx) {
    constexpr Size blocks = 3, threads = blocks * Loads<T>::block_threads;
    const std::vector<T> numbers = counting<T>(threads, 3);
    Operand<Context, T> from(ctx, numbers);
    Operand<Context, T> streaming(ctx, std::vector<T>(numbers.size()));
    Operand<Context, T> read_only(ctx, std::vector<T>(numbers.size()));

    ctx.launch(Loads<T>{from.data(), streaming.data(), read_only.data()}, {.blocks_x = blocks});

    CHECK(streaming.numbers() == numbers);
    CHECK(read_only.numbers() == numbers);
}

/// a + b in packs of N, against the sum element by element.
template <class T, int N, class Context>
void check_packs(Context& ctx) {
    constexpr Size numbers = PackSum<T, N>::block_threads * N;
    Operand<Context, T> a(ctx, counting<T>(numbers));
    Operand<Context, T> b(ctx, counting<T>(numbers, 500));
    Operand<Context, T> sum(ctx, std::vector<T>(static_cast<std::size_t>(numbers)));
    std::vector<T> want;
    for (Size i = 0; i < numbers; ++i) {
        want.push_back(static_cast<T>(2 * i + 500));
    }

    ctx.launch(PackSum<T, N>{a.data(), b.data(), sum.data()}, {});

    CHECK(sum.numbers() == want);
}

/// Packs of 4, 8 and 16 bytes.
template <class Context>
void check_all_packs(Context& ctx) {
    check_packs<std::uint16_t, 2>(ctx);
    check_packs<float, 1>(ctx);
    check_packs<float, 2>(ctx);
    check_packs<float, 4>(ctx);
    check_packs<double, 2>(ctx);
    check_packs<std::uint16_t, 8>(ctx);
}

/// Tiles fetched ahead in copies of N floats, against a plain sum.
template <int N, class Context>
void check_pipeline(Context& ctx, int tiles) {
    constexpr Size tile = Pipeline<N>::tile;
    const std::vector<float> numbers = counting<float>(tile * tiles);
    std::vector<float> want(tile);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        want[tile - 1 - i % tile] += numbers[i];
    }
    Operand<Context, float> from(ctx, numbers);
    Operand<Context, float> to(ctx, std::vector<float>(tile, -1));

    ctx.launch(Pipeline<N>{from.data(), to.data(), tiles}, {.shared_bytes = Pipeline<N>::shared_bytes});

    CHECK(to.numbers() == want);
}

template <class Context>
void check_pipelines(Context& ctx) {
    for (const int tiles : {0, 1, 2, 5}) {
        CAPTURE(tiles);
        check_pipeline<1>(ctx, tiles);
        check_pipeline<2>(ctx, tiles);
        check_pipeline<4>(ctx, tiles);
    }
}

/// The same bits as of a loop that adds in the kernel's order.
template <class T, class Context>
void check_block_sum(Context& ctx) {
    constexpr Size blocks = 4, threads = BlockSum<T>::block_threads;
    const std::vector<T> numbers = reciprocals<T>(blocks * threads);
    std::vector<T> halved = numbers;
    std::vector<T> want(blocks);
    for (std::size_t warp = 0; warp < halved.size(); warp += 32) {
        for (std::size_t delta = 16; delta > 0; delta /= 2) {
            for (std::size_t i = warp; i < warp + delta; ++i) {
                halved[i] += halved[i + delta];
            }
        }
        want[warp / threads] += halved[warp];
    }
    Operand<Context, T> from(ctx, numbers);
    Operand<Context, T> sums(ctx, std::vector<T>(blocks));

    ctx.launch(BlockSum<T>{from.data(), sums.data()}, {.blocks_x = blocks, .shared_bytes = BlockSum<T>::shared_bytes});

    CHECK(sums.numbers() == want);
    CHECK(std::abs(static_cast<double>(want[0]) - 6.1243448) < 1e-5);  // the harmonic number H(256)
}

/// The same bits as of a loop that adds in the kernel's order.
template <class T, class Context>
void check_warp_scan(Context& ctx) {
    constexpr Size blocks = 3, threads = blocks * WarpScan<T>::block_threads;
    const std::vector<T> numbers = reciprocals<T>(threads);
    std::vector<T> want = numbers;
    for (std::size_t distance = 1; distance < 32; distance *= 2) {
        for (std::size_t i = want.size(); i-- > 0;) {  // downwards: what lies before is not added to yet
            if (i % 32 >= distance) {
                want[i] += want[i - distance];
            }
        }
    }
    Operand<Context, T> from(ctx, numbers);
    Operand<Context, T> to(ctx, std::vector<T>(numbers.size()));

    ctx.launch(WarpScan<T>{from.data(), to.data()}, {.blocks_x = blocks});

    CHECK(to.numbers() == want);
    CHECK(std::abs(static_cast<double>(want[31]) - 4.0584952) < 1e-5);  // H(32)
    CHECK(want[32] == numbers[32]);
}

}  // namespace tests
