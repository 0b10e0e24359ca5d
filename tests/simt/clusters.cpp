// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Clusters of blocks on the host, in every order, against answers from plain loops.

#include <algorithm>
#include <vector>

#include <snack/memory/emulated_context.hpp>
#include <tests/simt/cluster_answers.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using simt::HostLauncher;
using simt::ThreadOrder;

namespace {

/// Notes which blocks run, before and after a barrier of the cluster.
struct BlockJournal {
    static constexpr const char* name = "BlockJournal";
    static constexpr int block_threads = 32;
    std::vector<Size>* entries;

    template <class Thread>
    void operator()(const Thread& thread) const {
        for (int half = 0; half < 2; ++half) {
            if (thread.index() == 0) {
                entries->push_back(thread.block_y() * 10 + thread.block_x());
            }
            if (half == 0) {
                thread.sync_cluster();
            }
        }
    }
};

std::vector<Size> journal(const HostLauncher::Options& options) {
    std::vector<Size> entries;
    HostLauncher(options).run({.blocks_x = 6, .blocks_y = 2, .cluster_x = 3}, BlockJournal{&entries});
    return entries;
}

}  // namespace

TEST_CASE("blocks of a cluster reach each other's shared memory", "[kernels][simt]") {
    for (const HostLauncher::Options& options : tests::all_orders) {
        CAPTURE(static_cast<int>(options.order), options.seed);
        simt::EmulatedContext ctx({.threads = 1, .order = options.order, .seed = options.seed});
        for (int cluster = 1; cluster <= ctx.most_cluster_blocks(); ++cluster) {
            tests::check_clusters(ctx, cluster);
        }
    }
}

TEST_CASE("blocks of a cluster take turns at sync_cluster, in the order asked for", "[kernels][simt]") {
    std::vector<Size> want = {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 10, 11, 12, 10, 11, 12, 13, 14, 15, 13, 14, 15};

    CHECK(journal({}) == want);
    std::reverse(want.begin(), want.end());
    CHECK(journal({.order = ThreadOrder::descending}) == want);

    std::vector<Size> one = journal({.order = ThreadOrder::seeded, .seed = 1});
    CHECK(one == journal({.order = ThreadOrder::seeded, .seed = 1}));
    CHECK(one != journal({.order = ThreadOrder::seeded, .seed = 2}));
    std::sort(one.begin(), one.end());
    std::sort(want.begin(), want.end());
    CHECK(one == want);
}

TEST_CASE("the emulated device has clusters of up to 8 blocks", "[kernels][simt]") {
    const simt::EmulatedContext ctx({.threads = 1});

    CHECK(ctx.has_clusters());
    CHECK(ctx.most_cluster_blocks() == 8);
}

TEST_CASE("launches of clusters allocate nothing once a larger one has run", "[kernels][simt]") {
    const std::vector<int> from(16 * tests::ClusterRing::block_threads, 1);
    std::vector<int> to(from.size());
    const tests::ClusterRing kernel = {from.data(), to.data()};
    HostLauncher launcher;
    launcher.run({.blocks_x = 16, .shared_bytes = tests::ClusterRing::shared_bytes, .cluster_x = 4}, kernel);

    const Size before = tests::new_calls();
    launcher.run({.blocks_x = 8, .shared_bytes = tests::ClusterRing::shared_bytes, .cluster_x = 4}, kernel);
    launcher.run({.blocks_x = 4, .shared_bytes = tests::ClusterRing::shared_bytes}, kernel);
    launcher.run({.blocks_x = 6, .shared_bytes = tests::ClusterRing::shared_bytes, .cluster_x = 2}, kernel);

    CHECK(tests::new_calls() == before);
}
