// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Clusters of blocks on a GPU, against the same answers as on the host.

#include <string>

#include <snack/memory/cuda_context.cuh>
#include <tests/simt/cluster_answers.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

TEST_CASE("clusters of every size work together on a GPU", "[gpu][simt]") {
    CudaContext ctx;

    for (int cluster = 1; cluster <= ctx.most_cluster_blocks(); ++cluster) {
        tests::check_clusters(ctx, cluster);
    }
}

TEST_CASE("a GPU has clusters of 8 blocks, or none and says so", "[gpu][simt]") {
    CudaContext ctx;
    Buffer<Size> none(0);
    const simt::LaunchShape shape = {.blocks_x = 2, .cluster_x = 2};

    CHECK(ctx.most_cluster_blocks() == (ctx.has_clusters() ? 8 : 1));
    if (!ctx.has_clusters()) {
        const std::string text =
            tests::text_of<UnsupportedError>([&] { ctx.launch(tests::ClusterPlaces{none.begin()}, shape); });
        CHECK(tests::contains(text, "ClusterPlaces: clusters of 2 blocks need a device of sm_90"));
    }
}
