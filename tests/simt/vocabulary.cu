// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each word of the vocabulary on a GPU, against the same answers as on the host.

#include <snack/memory/cuda_context.cuh>
#include <tests/simt/vocabulary_answers.hpp>

using snack::CudaContext;

TEST_CASE("on a GPU, each instance of a kernel knows its place in warp, block and grid", "[gpu][simt]") {
    CudaContext ctx;

    tests::check_places(ctx);
}

TEMPLATE_TEST_CASE("on a GPU, shuffles bring the values of other lanes", "[gpu][simt]", float, double, std::int32_t,
                   std::uint32_t, std::int64_t) {
    CudaContext ctx;

    tests::check_shuffles<TestType>(ctx);
}

TEST_CASE("on a GPU, votes are those of the own warp", "[gpu][simt]") {
    CudaContext ctx;

    tests::check_votes(ctx);
}

TEMPLATE_TEST_CASE("on a GPU, atomic additions to shared and global memory lose nothing", "[gpu][simt]", float,
                   double) {
    CudaContext ctx;

    tests::check_atomic_sum<TestType>(ctx);
}

TEST_CASE("on a GPU, two arrays in shared memory carry values through a block and through a warp", "[gpu][simt]") {
    CudaContext ctx;

    tests::check_reverse(ctx);
}

TEMPLATE_TEST_CASE("on a GPU, streaming and read-only loads read what is there", "[gpu][simt]", std::uint16_t, float,
                   double, std::int64_t) {
    CudaContext ctx;

    tests::check_loads<TestType>(ctx);
}

TEST_CASE("on a GPU, packs of 4, 8 and 16 bytes are loaded and stored whole", "[gpu][simt]") {
    CudaContext ctx;

    tests::check_all_packs(ctx);
}

TEST_CASE("on a GPU, asynchronous copies of two groups at a time arrive", "[gpu][simt]") {
    CudaContext ctx;

    tests::check_pipelines(ctx);
}

TEMPLATE_TEST_CASE("on a GPU, a block's sum in a fixed order has the bits of a loop", "[gpu][simt]", float, double) {
    CudaContext ctx;

    tests::check_block_sum<TestType>(ctx);
}

TEMPLATE_TEST_CASE("on a GPU, a warp's running sums have the bits of a loop", "[gpu][simt]", float, double) {
    CudaContext ctx;

    tests::check_warp_scan<TestType>(ctx);
}
