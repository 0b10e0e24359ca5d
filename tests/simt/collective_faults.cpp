// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Planted faults in the use of barriers, shuffles and lanes: each must be found, with its place.

#include <string>
#include <vector>

#include <tests/simt/faults.hpp>
#include <tests/simt/orders.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using simt::HostLauncher;
using tests::contains;
using tests::fault_of;

namespace {

/// Each thread reads what its neighbour wrote; the barrier between can be left out.
template <bool WithBarrier>
struct Neighbour {
    static constexpr const char* name = "Neighbour";
    static constexpr int block_threads = 64;
    int* to;

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const shared = thread.template shared<int>();
        shared[thread.index()] = thread.index();
        if constexpr (WithBarrier) {
            thread.sync_block();
        }
        to[thread.index()] = shared[(thread.index() + 1) % block_threads];
    }
};

/// Sums of warps, read by a warp that did not wait for them.
struct SumWithoutBarrier {
    static constexpr const char* name = "SumWithoutBarrier";
    static constexpr int block_threads = 64;
    float* to;

    template <class Thread>
    void operator()(const Thread& thread) const {
        float sum = 1;
        for (int mask = 16; mask > 0; mask /= 2) {
            sum += thread.shuffle_xor(sum, mask);
        }
        float* const shared = thread.template shared<float>();
        shared[thread.warp()] = sum;
        to[thread.index()] = thread.shuffle(shared[0], 0) + thread.shuffle(shared[1], 0);
    }
};

struct DivergentShuffle {
    static constexpr const char* name = "DivergentShuffle";
    static constexpr int block_threads = 64;

    template <class Thread>
    void operator()(const Thread& thread) const {
        if (thread.index() < 48) {
            thread.shuffle(1.0f, 0);
        }
    }
};

struct ShufflesOnTwoLines {
    static constexpr const char* name = "ShufflesOnTwoLines";
    static constexpr int block_threads = 32;

    template <class Thread>
    void operator()(const Thread& thread) const {
        if (thread.lane() % 2 == 0) {
            thread.shuffle(1, 0);
        } else {
            thread.shuffle(2, 0);
        }
    }
};

struct TwoCollectives {
    static constexpr const char* name = "TwoCollectives";
    static constexpr int block_threads = 32;

    template <class Thread>
    void operator()(const Thread& thread) const {
        if (thread.lane() == 9) {
            thread.sync_block();
        } else {
            thread.any(true);
        }
    }
};

struct BarrierSomeReach {
    static constexpr const char* name = "BarrierSomeReach";
    static constexpr int block_threads = 96;

    template <class Thread>
    void operator()(const Thread& thread) const {
        if (thread.index() >= 80) {
            return;
        }
        thread.sync_block();
    }
};

struct BarriersOnTwoLines {
    static constexpr const char* name = "BarriersOnTwoLines";
    static constexpr int block_threads = 64;

    template <class Thread>
    void operator()(const Thread& thread) const {
        if (thread.warp() == 0) {
            thread.sync_block();
        }
        if (thread.warp() == 1) {
            thread.sync_block();
        }
    }
};

struct ShuffleFrom {
    static constexpr const char* name = "ShuffleFrom";
    static constexpr int block_threads = 64;
    int operand;
    int word;

    template <class Thread>
    void operator()(const Thread& thread) const {
        const int own = thread.index() == 37 ? operand : 1;
        if (word == 0) {
            thread.shuffle(1.0, own);
        } else if (word == 1) {
            thread.shuffle_down(1.0, own);
        } else {
            thread.shuffle_xor(1.0, own);
        }
    }
};

}  // namespace

TEST_CASE("a missing barrier shows as poison and as results that depend on the order", "[kernels][simt]") {
    const simt::LaunchShape shape = {.shared_bytes = 64 * sizeof(int)};
    std::vector<std::vector<int>> with, without;

    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<int> to(64);
        launcher.run(shape, Neighbour<true>{to.data()});
        with.push_back(to);
        launcher.run(shape, Neighbour<false>{to.data()});
        without.push_back(to);
    });

    for (std::size_t i = 1; i < with.size(); ++i) {
        CHECK(with[i] == with[0]);
        CHECK(without[i] != without[0]);
    }
    CHECK(with[0][5] == 6);
    CHECK(without[0][5] == -1);
}

TEST_CASE("a missing barrier between warps shows although their lanes meet", "[kernels][simt]") {
    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<float> to(64);
        launcher.run({.shared_bytes = 2 * sizeof(float)}, SumWithoutBarrier{to.data()});
        CHECK((to[0] != to[0] || to[63] != to[63]));
    });
}

TEST_CASE("a shuffle that some lanes do not reach is reported with both groups", "[kernels][simt]") {
    const std::string text = fault_of(DivergentShuffle{});

    CHECK(contains(text, "block (0, 0) cannot go on"));
    CHECK(contains(text, "16 threads (32-47) wait at shuffle (collective_faults.cpp:"));
    CHECK(contains(text, "48 threads (0-31, 48-63) have returned"));
}

TEST_CASE("shuffles on different lines do not meet", "[kernels][simt]") {
    const std::string text = fault_of(ShufflesOnTwoLines{});

    CHECK(contains(text, "16 threads (0, 2, 4, 6, 8, 10, ...) wait at shuffle"));
    CHECK(contains(text, "16 threads (1, 3, 5, 7, 9, 11, ...) wait at shuffle"));
}

TEST_CASE("different collectives do not meet", "[kernels][simt]") {
    const std::string text = fault_of(TwoCollectives{});

    CHECK(contains(text, "31 threads (0-8, 10-31) wait at any"));
    CHECK(contains(text, "1 thread (9) waits at sync_block"));
}

TEST_CASE("a barrier that some never reach is reported", "[kernels][simt]") {
    const std::string text = fault_of(BarrierSomeReach{});

    CHECK(contains(text, "80 threads (0-79) wait at sync_block"));
    CHECK(contains(text, "16 threads (80-95) have returned"));
}

TEST_CASE("barriers on different lines do not meet", "[kernels][simt]") {
    const std::string text = fault_of(BarriersOnTwoLines{});

    CHECK(contains(text, "32 threads (0-31) wait at sync_block"));
    CHECK(contains(text, "32 threads (32-63) wait at sync_block"));
}

TEST_CASE("a shuffle's operand outside 0 to 31 is reported with its line", "[kernels][simt]") {
    const int operand = GENERATE(-1, 32, 1000000, -2147483647);
    const int word = GENERATE(0, 1, 2);
    const char* const words[] = {"shuffle (", "shuffle_down (", "shuffle_xor ("};

    const std::string text = fault_of(ShuffleFrom{operand, word});

    CHECK(contains(text, "block (0, 0), thread 37, " + std::string(words[word]) + "collective_faults.cpp:"));
    CHECK(contains(text, std::to_string(operand) + " is out of 0..31"));
}
