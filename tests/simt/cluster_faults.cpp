// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Planted faults in the use of clusters: each must be found. Accesses to the shared memory of a block that
// has not begun or has returned are the address sanitizer's where it is, and poison where it is not.

#include <string>
#include <vector>

#include <tests/simt/cluster_kernels.hpp>
#include <tests/simt/faults.hpp>
#include <tests/simt/orders.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using simt::HostLauncher;
using tests::contains;
using tests::fault_of;

namespace {

constexpr simt::LaunchShape pairs = {.blocks_x = 2, .shared_bytes = 64 * sizeof(int), .cluster_x = 2};

enum class Barrier { none, first_two, second, last };

/// Each block writes its memory and reads its neighbour's; some of the three barriers can be left out.
template <Barrier Missing>
struct Exchange {
    static constexpr const char* name = "Exchange";
    static constexpr int block_threads = 64;
    int* to;  // (2, block_threads)

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const own = thread.template shared<int>() + thread.index();
        int* const other = thread.cluster_shared(own, 1 - thread.cluster_rank());
        if constexpr (Missing != Barrier::first_two) {
            thread.sync_cluster();
        }
        *own = thread.index();
        if constexpr (Missing == Barrier::second) {
            thread.sync_block();
        } else if constexpr (Missing != Barrier::first_two) {
            thread.sync_cluster();
        }
        to[thread.global_index()] = *other;
        if constexpr (Missing != Barrier::last) {
            thread.sync_cluster();
        }
    }
};

/// Only the first block reads: another order must show that nobody makes the second one wait.
struct ReadAsYouLeave {
    static constexpr const char* name = "ReadAsYouLeave";
    static constexpr int block_threads = 32;
    int* to;  // (block_threads)

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const own = thread.template shared<int>() + thread.index();
        *own = 7;
        int* const other = thread.cluster_shared(own, 1);
        thread.sync_cluster();
        if (thread.cluster_rank() == 0) {
            to[thread.index()] = *other;
        }
    }
};

/// The second block writes again what the first one reads; the barrier between can be left out.
template <bool WithBarrier>
struct Overwrite {
    static constexpr const char* name = "Overwrite";
    static constexpr int block_threads = 32;
    int* to;  // (block_threads)

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const own = thread.template shared<int>() + thread.index();
        *own = 1;
        thread.sync_cluster();
        if (thread.cluster_rank() == 0) {
            to[thread.index()] = *thread.cluster_shared(own, 1);
        }
        if constexpr (WithBarrier) {
            thread.sync_cluster();
        }
        *own = 2;
        thread.sync_cluster();
    }
};

/// A write to the other block's memory before it must have begun, or when it may have returned.
template <bool Early>
struct Push {
    static constexpr const char* name = "Push";
    static constexpr int block_threads = 32;

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const own = thread.template shared<int>() + thread.index();
        int* const other = thread.cluster_shared(own, 1 - thread.cluster_rank());
        if constexpr (!Early) {
            thread.sync_cluster();
        }
        *other = 1;
        if constexpr (Early) {
            thread.sync_cluster();
        }
    }
};

enum class Way { part_of_block, one_block, two_lines, two_words, stuck_inside };

/// Barriers that do not meet.
template <Way How>
struct Astray {
    static constexpr const char* name = "Astray";
    static constexpr int block_threads = 64;

    template <class Thread>
    void operator()(const Thread& thread) const {
        const bool second = thread.cluster_rank() == 1;
        if constexpr (How == Way::part_of_block) {
            if (second && thread.index() >= 48) {
                return;
            }
            thread.sync_cluster();
        } else if constexpr (How == Way::one_block) {
            if (second) {
                thread.sync_cluster();
            }
        } else if constexpr (How == Way::two_lines) {
            if (second) {
                thread.sync_cluster();
            } else {
                thread.sync_cluster();
            }
        } else if constexpr (How == Way::two_words) {
            if (second && thread.warp() == 1) {
                thread.sync_block();
            } else {
                thread.sync_cluster();
            }
        } else {
            thread.sync_cluster();
            if (!second || thread.index() != 7) {
                thread.sync_block();
            }
        }
    }
};

enum class Bad { rank, address, behind, theirs, returned };

template <Bad What>
struct Misled {
    static constexpr const char* name = "Misled";
    static constexpr int block_threads = 32;
    int rank;
    int* global;

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const own = thread.template shared<int>();
        if constexpr (What == Bad::rank) {
            thread.cluster_shared(own, rank);
        } else if constexpr (What == Bad::address) {
            thread.cluster_shared(global, 0);
        } else if constexpr (What == Bad::behind) {
            thread.cluster_shared(own + 64, 0);
        } else if constexpr (What == Bad::theirs) {
            thread.cluster_shared(thread.cluster_shared(own, 1 - thread.cluster_rank()), 0);
        } else {
            thread.cluster_shared(own, 1 - thread.cluster_rank());
        }
    }
};

/// A write one int beyond the other block's memory.
struct Beyond {
    static constexpr const char* name = "Beyond";
    static constexpr int block_threads = 32;

    template <class Thread>
    void operator()(const Thread& thread) const {
        int* const last = thread.template shared<int>() + 63;
        thread.sync_cluster();
        if (thread.cluster_rank() == 0) {
            thread.cluster_shared(last, 1)[1] = 0;
        }
        thread.sync_cluster();
    }
};

}  // namespace

TEST_CASE("a missing barrier between a block and its neighbour shows as poison", "[kernels][simt]") {
    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<int> with(128), without(128);

        launcher.run(pairs, Exchange<Barrier::none>{with.data()});
        launcher.run(pairs, Exchange<Barrier::second>{without.data()});

        CHECK(with[5] == 5);
        CHECK(with[64 + 5] == 5);
        CHECK((without[5] == -1) != (without[64 + 5] == -1));
    });
}

TEST_CASE("memory that is written again too early shows in another order of blocks", "[kernels][simt]") {
    std::vector<std::vector<int>> with, without;
    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<int> to(32);
        launcher.run(pairs, Overwrite<true>{to.data()});
        with.push_back(to);
        launcher.run(pairs, Overwrite<false>{to.data()});
        without.push_back(to);
    });

    for (const std::vector<int>& numbers : with) {
        CHECK(numbers == std::vector<int>(32, 1));
    }
    CHECK(without[0] == std::vector<int>(32, 1));
    CHECK(without[1] == std::vector<int>(32, 2));
}

#if SNACK_ADDRESS_SANITIZER
TEST_CASE("the sanitizer finds accesses to a block that has not begun or has returned", "[kernels][simt]") {
    std::vector<int> to(128);
    const std::string found = "AddressSanitizer: use-after-poison";

    for (const HostLauncher::Options& order : tests::all_orders) {
        CHECK(contains(tests::last_words(pairs, Exchange<Barrier::first_two>{to.data()}, order), found));
        CHECK(contains(tests::last_words(pairs, Exchange<Barrier::last>{to.data()}, order), found));
        CHECK(contains(tests::last_words(pairs, Push<true>{}, order), found));
        CHECK(contains(tests::last_words(pairs, Push<false>{}, order), found));
    }
    CHECK(contains(tests::last_words(pairs, ReadAsYouLeave{to.data()}, tests::all_orders[1]), found));
    CHECK(contains(tests::last_words(pairs, Beyond{}), found));
}
#else
TEST_CASE("reads of a block that has not begun or has returned are poison", "[kernels][simt]") {
    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<int> early(128), late(128);

        launcher.run(pairs, Exchange<Barrier::first_two>{early.data()});
        launcher.run(pairs, Exchange<Barrier::last>{late.data()});

        CHECK((early[5] == -1) != (early[64 + 5] == -1));
        CHECK((late[5] == -1) != (late[64 + 5] == -1));
    });
    std::vector<int> to(32);
    HostLauncher(tests::all_orders[1]).run(pairs, ReadAsYouLeave{to.data()});
    CHECK(to == std::vector<int>(32, -1));
}

TEST_CASE("writes to a block that has not begun or has returned are reported", "[kernels][simt]") {
    CHECK(contains(fault_of(Push<true>{}, pairs), ", 0): another block wrote to its shared memory before it began"));
    CHECK(contains(fault_of(Push<false>{}, pairs),
                   ", 0): another block wrote to its shared memory after it had returned"));
}

TEST_CASE("a write beside another block's shared memory is found", "[kernels][simt]") {
    CHECK(contains(fault_of(Beyond{}, pairs), "block (1, 0): a thread wrote next to its 256 bytes"));
}
#endif

TEST_CASE("a sync_cluster that some threads of a block never reach is reported", "[kernels][simt]") {
    const std::string text = fault_of(Astray<Way::part_of_block>{}, pairs);

    CHECK(contains(text, "block (1, 0) cannot go on: 48 threads (0-47) wait at sync_cluster (cluster_faults.cpp:"));
    CHECK(contains(text, "16 threads (48-63) have returned"));
}

TEST_CASE("a block that returns while its cluster waits for it is reported", "[kernels][simt]") {
    const std::string text = fault_of(Astray<Way::one_block>{}, pairs);

    CHECK(contains(text,
                   "block (0, 0) and its cluster cannot go on: rank 0 has returned; "
                   "rank 1 waits at sync_cluster (cluster_faults.cpp:"));
}

TEST_CASE("sync_clusters on different lines do not meet", "[kernels][simt]") {
    const std::string text = fault_of(Astray<Way::two_lines>{}, {.blocks_x = 4, .blocks_y = 2, .cluster_x = 2});

    CHECK(contains(text, "and its cluster cannot go on: rank 0 waits at sync_cluster (cluster_faults.cpp:"));
    CHECK(contains(text, "; rank 1 waits at sync_cluster (cluster_faults.cpp:"));
}

TEST_CASE("barriers of the block and of the cluster do not meet", "[kernels][simt]") {
    const std::string text = fault_of(Astray<Way::two_words>{}, pairs);

    CHECK(contains(text, "block (1, 0) cannot go on: 32 threads (0-31) wait at sync_cluster"));
    CHECK(contains(text, "32 threads (32-63) wait at sync_block"));
}

TEST_CASE("a block of a cluster that is stuck in itself is reported", "[kernels][simt]") {
    const std::string text = fault_of(Astray<Way::stuck_inside>{}, pairs);

    CHECK(contains(text, "block (1, 0) cannot go on: 63 threads (0-6, 8-63) wait at sync_block"));
}

TEST_CASE("a rank that the cluster does not have is reported with its line", "[kernels][simt]") {
    CHECK(contains(fault_of(Misled<Bad::rank>{2, nullptr}, pairs), "cluster_shared (cluster_faults.cpp:"));
    CHECK(contains(fault_of(Misled<Bad::rank>{2, nullptr}, pairs), "rank 2 is out of 0..1"));
    CHECK(contains(fault_of(Misled<Bad::rank>{-1, nullptr}, pairs), "rank -1 is out of 0..1"));
    CHECK(contains(fault_of(Misled<Bad::rank>{1, nullptr}, {.shared_bytes = 4}), "rank 1 is out of 0..0"));
}

TEST_CASE("an address that is not in the block's own shared memory is reported", "[kernels][simt]") {
    std::vector<int> global(1);
    const std::string want = "the address is not in the block's own shared memory";

    CHECK(contains(fault_of(Misled<Bad::address>{0, global.data()}, pairs), want));
    CHECK(contains(fault_of(Misled<Bad::behind>{0, nullptr}, pairs), want));
    CHECK(contains(fault_of(Misled<Bad::theirs>{0, nullptr}, pairs), want));
}

TEST_CASE("the memory of a block that has returned is not handed out", "[kernels][simt]") {
    CHECK(contains(fault_of(Misled<Bad::returned>{0, nullptr}, pairs), "of the cluster has returned"));
}

TEST_CASE("a launcher is as good as new after an error in a cluster", "[kernels][simt]") {
    tests::in_each_order([&](HostLauncher& launcher) {
        for (const int cluster : {2, 8, 1, 4}) {
            tests::text_of<simt::SimtError>([&] { launcher.run(pairs, Astray<Way::two_lines>{}); });
            const Size count = cluster * tests::ClusterRing::block_threads;
            const std::vector<int> from(static_cast<std::size_t>(count), 1);
            std::vector<int> to(from.size());

            launcher.run({.blocks_x = cluster, .shared_bytes = tests::ClusterRing::shared_bytes, .cluster_x = cluster},
                         tests::ClusterRing{from.data(), to.data()});

            CHECK(to == std::vector<int>(from.size(), -2));
        }
    });
}
