// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each word of the vocabulary on the host, in every order, against answers from plain loops.

#include <snack/memory/emulated_context.hpp>
#include <tests/simt/vocabulary_answers.hpp>

using namespace snack;
using simt::EmulatedContext;

namespace {

/// Calls check(ctx) with a device of each order.
template <class Check>
void in_each_order(const Check& check) {
    for (const simt::HostLauncher::Options& options : tests::all_orders) {
        CAPTURE(static_cast<int>(options.order), options.seed);
        EmulatedContext ctx({.threads = 1, .order = options.order, .seed = options.seed});
        check(ctx);
    }
}

}  // namespace

TEST_CASE("each instance of a kernel knows its place in warp, block and grid", "[kernels][simt]") {
    in_each_order([](EmulatedContext& ctx) { tests::check_places(ctx); });
}

TEMPLATE_TEST_CASE("shuffles bring the values of other lanes", "[kernels][simt]", float, double, std::int32_t,
                   std::uint32_t, std::int64_t) {
    in_each_order([](EmulatedContext& ctx) { tests::check_shuffles<TestType>(ctx); });
}

TEST_CASE("votes are those of the own warp", "[kernels][simt]") {
    in_each_order([](EmulatedContext& ctx) { tests::check_votes(ctx); });
}

TEMPLATE_TEST_CASE("atomic additions to shared and global memory lose nothing", "[kernels][simt]", float, double) {
    in_each_order([](EmulatedContext& ctx) { tests::check_atomic_sum<TestType>(ctx); });
}

TEST_CASE("two arrays in shared memory carry values through a block and through a warp", "[kernels][simt]") {
    in_each_order([](EmulatedContext& ctx) { tests::check_reverse(ctx); });
}

TEMPLATE_TEST_CASE("streaming and read-only loads read what is there", "[kernels][simt]", std::uint16_t, float, double,
                   std::int64_t) {
    in_each_order([](EmulatedContext& ctx) { tests::check_loads<TestType>(ctx); });
}

TEST_CASE("packs of 4, 8 and 16 bytes are loaded and stored whole", "[kernels][simt]") {
    in_each_order([](EmulatedContext& ctx) { tests::check_all_packs(ctx); });
}

TEST_CASE("asynchronous copies of two groups at a time arrive", "[kernels][simt]") {
    in_each_order([](EmulatedContext& ctx) { tests::check_pipelines(ctx); });
}

TEMPLATE_TEST_CASE("a block's sum in a fixed order has the same bits in every order", "[kernels][simt]", float,
                   double) {
    in_each_order([](EmulatedContext& ctx) { tests::check_block_sum<TestType>(ctx); });
}

TEMPLATE_TEST_CASE("a warp's running sums have the same bits in every order", "[kernels][simt]", float, double) {
    in_each_order([](EmulatedContext& ctx) { tests::check_warp_scan<TestType>(ctx); });
}
