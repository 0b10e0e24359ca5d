// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each word of the vocabulary on the host, in every order, against answers from plain loops.

#include <algorithm>
#include <cmath>
#include <vector>

#include <snack/memory/buffer.hpp>
#include <tests/simt/orders.hpp>
#include <tests/simt/vocabulary_kernels.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using simt::HostLauncher;
using tests::counting;
using tests::in_each_order;
using tests::reciprocals;

TEST_CASE("each instance of a kernel knows its place in warp, block and grid", "[kernels][simt]") {
    constexpr Size blocks_x = 3, blocks_y = 2, threads = tests::Places::block_threads;
    std::vector<Size> want;
    for (Size y = 0; y < blocks_y; ++y) {
        for (Size x = 0; x < blocks_x; ++x) {
            for (Size i = 0; i < threads; ++i) {
                want.insert(want.end(), {i, i % 32, i / 32, threads, x, y, blocks_x, blocks_y, x * threads + i});
            }
        }
    }

    in_each_order([&](HostLauncher& launcher) {
        std::vector<Size> places(want.size(), -1);
        launcher.run({.blocks_x = blocks_x, .blocks_y = blocks_y}, tests::Places{places.data()});
        CHECK(places == want);
    });
}

TEMPLATE_TEST_CASE("shuffles bring the values of other lanes", "[kernels][simt]", float, double, std::int32_t,
                   std::uint32_t, std::int64_t) {
    constexpr Size blocks = 2, threads = blocks * tests::Shuffles<TestType>::block_threads;
    const std::vector<TestType> from = counting<TestType>(threads, 7);
    std::vector<TestType> want;
    for (Size i = 0; i < threads; ++i) {
        const Size warp = i / 32 * 32, lane = i % 32;
        const Size sources[] = {5, (lane * 7 + 3) % 32, lane + 3 < 32 ? lane + 3 : lane, lane ^ 21};
        for (const Size source : sources) {
            want.push_back(from[static_cast<std::size_t>(warp + source)]);
        }
    }

    in_each_order([&](HostLauncher& launcher) {
        std::vector<TestType> to(want.size());
        launcher.run({.blocks_x = blocks}, tests::Shuffles<TestType>{from.data(), to.data()});
        CHECK(to == want);
    });
}

TEST_CASE("votes are those of the own warp", "[kernels][simt]") {
    constexpr std::size_t threads = tests::Votes::block_threads;

    in_each_order([&](HostLauncher& launcher) {
        std::vector<std::uint32_t> ballots(threads);
        std::vector<int> any(threads);
        launcher.run({}, tests::Votes{ballots.data(), any.data()});
        for (std::size_t i = 0; i < threads; ++i) {
            CHECK(ballots[i] == (i < 32 ? 0x49249249u : 0u));
            CHECK(any[i] == (i < 32));
        }
    });
}

TEMPLATE_TEST_CASE("atomic additions to shared and global memory lose nothing", "[kernels][simt]", float, double) {
    constexpr Size blocks = 5, threads = blocks * tests::AtomicSum<TestType>::block_threads;
    const std::vector<TestType> from = counting<TestType>(threads);

    in_each_order([&](HostLauncher& launcher) {
        TestType sum = 1000;
        launcher.run({.blocks_x = blocks, .shared_bytes = sizeof(TestType)},
                     tests::AtomicSum<TestType>{from.data(), &sum});
        CHECK(static_cast<Size>(sum) == 1000 + threads * (threads - 1) / 2);
    });
}

TEST_CASE("two arrays in shared memory carry values through a block and through a warp", "[kernels][simt]") {
    constexpr Size blocks = 2, block_threads = tests::Reverse::block_threads, threads = blocks * block_threads;

    in_each_order([&](HostLauncher& launcher) {
        std::vector<int> of_block = counting<int>(threads);
        std::vector<double> of_warp = counting<double>(threads);
        launcher.run({.blocks_x = blocks, .shared_bytes = tests::Reverse::shared_bytes},
                     tests::Reverse{of_block.data(), of_warp.data()});
        for (Size i = 0; i < threads; ++i) {
            CHECK(of_block[static_cast<std::size_t>(i)] ==
                  i / block_threads * block_threads + block_threads - 1 - i % block_threads);
            CHECK(of_warp[static_cast<std::size_t>(i)] == static_cast<double>(i ^ 31));
        }
    });
}

TEMPLATE_TEST_CASE("streaming and read-only loads read what is there", "[kernels][simt]", std::uint16_t, float, double,
                   std::int64_t) {
    constexpr Size blocks = 3, threads = blocks * tests::Loads<TestType>::block_threads;
    const std::vector<TestType> from = counting<TestType>(threads, 3);

    in_each_order([&](HostLauncher& launcher) {
        std::vector<TestType> streaming(from.size()), read_only(from.size());
        launcher.run({.blocks_x = blocks}, tests::Loads<TestType>{from.data(), streaming.data(), read_only.data()});
        CHECK(streaming == from);
        CHECK(read_only == from);
    });
}

namespace {

/// The same numbers where packs may lie.
template <class T>
Buffer<T> aligned(const std::vector<T>& numbers) {
    Buffer<T> buffer(static_cast<Size>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), buffer.begin());
    return buffer;
}

/// a + b in packs of N, against the sum element by element.
template <class T, int N>
void check_packs() {
    constexpr Size threads = tests::PackSum<T, N>::block_threads;
    const Buffer<T> a = aligned(counting<T>(threads * N));
    const Buffer<T> b = aligned(counting<T>(threads * N, 500));
    std::vector<T> want;
    for (Size i = 0; i < threads * N; ++i) {
        want.push_back(static_cast<T>(a[i] + b[i]));
    }

    in_each_order([&](HostLauncher& launcher) {
        Buffer<T> sum(threads * N, 0, nullptr);
        launcher.run({}, tests::PackSum<T, N>{a.data(), b.data(), sum.data()});
        CHECK(std::vector<T>(sum.begin(), sum.end()) == want);
    });
}

/// Tiles fetched ahead in copies of N floats, against a plain sum.
template <int N>
void check_pipeline(int tiles) {
    constexpr Size tile = tests::Pipeline<N>::tile;
    const Buffer<float> from = aligned(counting<float>(tile * tiles));
    std::vector<float> want(tile);
    for (Size i = 0; i < tile * tiles; ++i) {
        want[static_cast<std::size_t>(tile - 1 - i % tile)] += from[i];
    }

    in_each_order([&](HostLauncher& launcher) {
        std::vector<float> to(tile);
        launcher.run({.shared_bytes = tests::Pipeline<N>::shared_bytes},
                     tests::Pipeline<N>{from.data(), to.data(), tiles});
        CHECK(to == want);
    });
}

}  // namespace

TEST_CASE("packs of 4, 8 and 16 bytes are loaded and stored whole", "[kernels][simt]") {
    check_packs<std::uint16_t, 2>();
    check_packs<float, 1>();
    check_packs<float, 2>();
    check_packs<float, 4>();
    check_packs<double, 2>();
    check_packs<std::uint16_t, 8>();
}

TEST_CASE("asynchronous copies of two groups at a time arrive", "[kernels][simt]") {
    const int tiles = GENERATE(0, 1, 2, 5);

    check_pipeline<1>(tiles);
    check_pipeline<2>(tiles);
    check_pipeline<4>(tiles);
}

TEMPLATE_TEST_CASE("a block's sum in a fixed order has the same bits in every order", "[kernels][simt]", float,
                   double) {
    constexpr Size blocks = 4, threads = tests::BlockSum<TestType>::block_threads;
    const std::vector<TestType> from = reciprocals<TestType>(blocks * threads);
    const simt::LaunchShape shape = {.blocks_x = blocks, .shared_bytes = tests::BlockSum<TestType>::shared_bytes};
    std::vector<TestType> want(blocks);
    HostLauncher().run(shape, tests::BlockSum<TestType>{from.data(), want.data()});

    in_each_order([&](HostLauncher& launcher) {
        std::vector<TestType> sums(blocks);
        launcher.run(shape, tests::BlockSum<TestType>{from.data(), sums.data()});
        CHECK(sums == want);
    });
    CHECK(std::abs(static_cast<double>(want[0]) - 6.1243448) < 1e-5);  // the harmonic number H(256)
}

TEMPLATE_TEST_CASE("a warp's running sums have the same bits in every order", "[kernels][simt]", float, double) {
    constexpr Size blocks = 3, threads = blocks * tests::WarpScan<TestType>::block_threads;
    const std::vector<TestType> from = reciprocals<TestType>(threads);
    std::vector<TestType> want(from.size());
    HostLauncher().run({.blocks_x = blocks}, tests::WarpScan<TestType>{from.data(), want.data()});

    in_each_order([&](HostLauncher& launcher) {
        std::vector<TestType> sums(from.size());
        launcher.run({.blocks_x = blocks}, tests::WarpScan<TestType>{from.data(), sums.data()});
        CHECK(sums == want);
    });
    CHECK(want[0] == 1);
    CHECK(std::abs(static_cast<double>(want[31]) - 4.0584952) < 1e-5);  // H(32)
    CHECK(want[32] == from[32]);
}
