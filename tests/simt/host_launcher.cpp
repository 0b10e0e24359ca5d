// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launcher runs grids in the order asked for, refuses impossible ones and survives errors.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <snack/simt/simt_error.hpp>
#include <tests/simt/orders.hpp>
#include <tests/simt/vocabulary_kernels.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using simt::HostLauncher;
using simt::ThreadOrder;
using tests::contains;

namespace {

/// Notes when each instance runs, before and after a barrier.
struct Journal {
    static constexpr const char* name = "Journal";
    static constexpr int block_threads = 64;
    std::vector<Size>* entries;

    template <class Thread>
    void operator()(const Thread& thread) const {
        const Size number = thread.block_y() * 1000 + thread.block_x() * 100 + thread.index();
        entries->push_back(number);
        thread.sync_block();
        entries->push_back(number);
    }
};

std::vector<Size> journal(const HostLauncher::Options& options, const simt::LaunchShape& shape) {
    std::vector<Size> entries;
    HostLauncher(options).run(shape, Journal{&entries});
    return entries;
}

/// Breaks the rule for barriers with a local array, a pending copy and waiting lanes on its stacks.
struct Abandoned {
    static constexpr const char* name = "Abandoned";
    static constexpr int block_threads = 128;
    const float* from;
    float* to;

    template <class Thread>
    void operator()(const Thread& thread) const {
        float local[16] = {};
        thread.template copy_async<4>(thread.template shared<float>() + thread.index(), from);
        thread.commit_async();
        for (int i = 0; i < 16; ++i) {
            local[i] = thread.shuffle(static_cast<float>(i), i);
        }
        if (thread.index() != 77) {
            thread.sync_block();
        }
        thread.template wait_async<0>();
        to[thread.index()] = local[thread.index() % 16];
    }
};

/// One thread throws while its neighbours wait at a barrier, or have not begun.
struct Throws {
    static constexpr const char* name = "Throws";
    static constexpr int block_threads = 128;
    int index;

    template <class Thread>
    void operator()(const Thread& thread) const {
        thread.sync_warp();
        if (thread.index() == index) {
            throw std::out_of_range("no such entry");
        }
        thread.sync_block();
    }
};

}  // namespace

TEST_CASE("instances of a kernel run in the order asked for, and again after a barrier", "[kernels][simt]") {
    std::vector<Size> want;
    for (const Size block : {0, 100, 1000, 1100}) {
        for (int half = 0; half < 2; ++half) {
            for (Size i = 0; i < 64; ++i) {
                want.push_back(block + i);
            }
        }
    }

    CHECK(journal({}, {.blocks_x = 2, .blocks_y = 2}) == want);
    std::reverse(want.begin(), want.end());
    CHECK(journal({.order = ThreadOrder::descending}, {.blocks_x = 2, .blocks_y = 2}) == want);
}

TEST_CASE("a seeded order is reproducible and complete", "[kernels][simt]") {
    const simt::LaunchShape shape = {.blocks_x = 3, .blocks_y = 2};
    std::vector<Size> one = journal({.order = ThreadOrder::seeded, .seed = 1}, shape);
    std::vector<Size> two = journal({.order = ThreadOrder::seeded, .seed = 2}, shape);

    CHECK(one == journal({.order = ThreadOrder::seeded, .seed = 1}, shape));
    CHECK(one != two);

    std::vector<Size> all = journal({}, shape);
    for (std::vector<Size>* entries : {&one, &two, &all}) {
        std::sort(entries->begin(), entries->end());
    }
    CHECK(one == all);
    CHECK(two == all);
}

TEST_CASE("a grid without blocks launches nothing", "[kernels][simt]") {
    CHECK(journal({}, {.blocks_x = 0}).empty());
    CHECK(journal({}, {.blocks_x = 5, .blocks_y = 0}).empty());
    CHECK(journal({}, {.blocks_x = 0, .blocks_y = 0}).empty());
}

TEST_CASE("grids that no device takes are refused", "[kernels][simt]") {
    const auto refusal = [](const simt::LaunchShape& shape) {
        return tests::text_of<ArgumentError>([&] { journal({}, shape); });
    };

    CHECK(contains(refusal({.blocks_x = -1}), "Journal: -1 blocks in x"));
    CHECK(contains(refusal({.blocks_x = Size{1} << 31}), "2147483648 blocks in x"));
    CHECK(contains(refusal({.blocks_y = -1}), "-1 blocks in y"));
    CHECK(contains(refusal({.blocks_y = 65536}), "65536 blocks in y"));
    CHECK(contains(refusal({.blocks_x = 0, .blocks_y = 65536}), "65536 blocks in y"));
    CHECK(contains(refusal({.shared_bytes = -1}), "-1 bytes of shared memory"));
    CHECK(contains(refusal({.shared_bytes = 227 * 1024 + 1}), "232449 bytes of shared memory"));
    CHECK(contains(refusal({.cluster_x = 0}), "0 blocks in a cluster"));
    CHECK(contains(refusal({.blocks_x = 9, .cluster_x = 9}), "9 blocks in a cluster"));
    CHECK(contains(refusal({.blocks_x = 6, .cluster_x = 4}), "6 blocks in x are not a multiple of the 4 of a cluster"));
}

TEST_CASE("thousands of blocks and a full block are run", "[kernels][simt]") {
    constexpr Size blocks = 5000;
    const std::vector<float> ones(static_cast<std::size_t>(blocks) * 256, 1);

    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<float> sums(blocks);
        launcher.run({.blocks_x = blocks, .shared_bytes = tests::BlockSum<float>::shared_bytes},
                     tests::BlockSum<float>{ones.data(), sums.data()});
        CHECK(sums == std::vector<float>(blocks, 256));
    });
}

TEST_CASE("a launcher is as good as new after an error", "[kernels][simt]") {
    const std::vector<float> ones(512, 1);

    tests::in_each_order([&](HostLauncher& launcher) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            std::vector<float> to(128);
            const std::string text = tests::text_of<simt::SimtError>([&] {
                launcher.run({.blocks_x = 2, .shared_bytes = 512}, Abandoned{ones.data(), to.data()});
            });
            CHECK(contains(text, "127 threads (0-76, 78-127) wait at sync_block"));
            CHECK(contains(text, "1 thread (77) has returned"));

            std::vector<float> sums(2);
            launcher.run({.blocks_x = 2, .shared_bytes = tests::BlockSum<float>::shared_bytes},
                         tests::BlockSum<float>{ones.data(), sums.data()});
            CHECK(sums == std::vector<float>(2, 256));
        }
    });
}

TEST_CASE("an exception ends the launch with its text, and the launcher is as good as new", "[kernels][simt]") {
    const std::vector<float> ones(512, 1);

    tests::in_each_order([&](HostLauncher& launcher) {
        for (const int thread : {0, 37, 127}) {
            CHECK(contains(tests::text_of<simt::SimtError>([&] { launcher.run({.blocks_x = 2}, Throws{thread}); }),
                           ", thread " + std::to_string(thread) + ": it threw: no such entry"));

            std::vector<float> sums(2);
            launcher.run({.blocks_x = 2, .shared_bytes = tests::BlockSum<float>::shared_bytes},
                         tests::BlockSum<float>{ones.data(), sums.data()});
            CHECK(sums == std::vector<float>(2, 256));
        }
    });
}

TEST_CASE("launches allocate nothing once a larger one has run", "[kernels][simt]") {
    const std::vector<float> ones(1024, 1);
    std::vector<float> sums(4);
    const tests::BlockSum<float> kernel = {ones.data(), sums.data()};
    HostLauncher launcher;
    launcher.run({.blocks_x = 4, .shared_bytes = 1000}, kernel);

    const Size before = tests::new_calls();
    launcher.run({.blocks_x = 3, .shared_bytes = 100}, kernel);
    launcher.run({.blocks_x = 4, .shared_bytes = 999}, kernel);

    CHECK(tests::new_calls() == before);
}

TEST_CASE("a launcher moves with its fibers", "[kernels][simt]") {
    const std::vector<float> ones(256, 1);
    std::vector<float> sums(1);
    const simt::LaunchShape shape = {.shared_bytes = tests::BlockSum<float>::shared_bytes};
    HostLauncher source;
    source.run(shape, tests::BlockSum<float>{ones.data(), sums.data()});

    HostLauncher moved(std::move(source));
    sums[0] = 0;
    moved.run(shape, tests::BlockSum<float>{ones.data(), sums.data()});

    CHECK(sums[0] == 256);
}
