// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The context that stands in for a GPU: a host context that launches kernels.

#include <new>
#include <utility>
#include <vector>

#include <snack/concepts/context.hpp>
#include <snack/memory/emulated_context.hpp>
#include <snack/simt/simt_error.hpp>
#include <tests/simt/vocabulary_kernels.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using simt::EmulatedContext;

static_assert(Context<EmulatedContext>);

namespace {

/// Who writes last.
struct Last {
    static constexpr const char* name = "Last";
    static constexpr int block_threads = 64;
    Size* to;

    template <class Thread>
    void operator()(const Thread& thread) const {
        *to = thread.global_index();
    }
};

float sum_of_256_ones(EmulatedContext& ctx) {
    const std::vector<float> ones(256, 1);
    float sum = 0;
    ctx.launch(tests::BlockSum<float>{ones.data(), &sum}, {.shared_bytes = tests::BlockSum<float>::shared_bytes});
    return sum;
}

}  // namespace

TEST_CASE("the emulated device launches kernels and lends the host's memory", "[kernels][simt]") {
    tests::CountingAllocator allocator;
    {
        EmulatedContext ctx({.threads = 2, .allocator = &allocator});
        const Buffer<float> buffer = ctx.allocate<float>(10);
        ctx.scratch<float>(0, 20);

        CHECK(sum_of_256_ones(ctx) == 256);
        CHECK(ctx.threads() == 2);
        CHECK(allocator.live_bytes == 120);
        CHECK(ctx.multiprocessors() == 2);
        CHECK(ctx.shared_bytes_per_block() == 227 * 1024);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("the emulated device runs in the order of its options", "[kernels][simt]") {
    EmulatedContext ascending;
    EmulatedContext descending({.threads = 1, .order = simt::ThreadOrder::descending});
    Size up = -1, down = -1;

    ascending.launch(Last{&up}, {.blocks_x = 3});
    descending.launch(Last{&down}, {.blocks_x = 3});

    CHECK(up == 191);
    CHECK(down == 0);
}

TEST_CASE("an emulated device can be moved", "[kernels][simt]") {
    EmulatedContext source({.threads = 1});
    sum_of_256_ones(source);
    double* const scratch = source.scratch<double>(0, 10).data();

    EmulatedContext moved(std::move(source));
    EmulatedContext assigned;
    assigned = std::move(moved);

    CHECK(assigned.scratch<double>(0, 10).data() == scratch);
    CHECK(sum_of_256_ones(assigned) == 256);
}

TEST_CASE("an emulated device is whole after an allocation that failed", "[kernels][simt]") {
    tests::CountingAllocator allocator;
    {
        EmulatedContext ctx({.threads = 1, .allocator = &allocator});
        ctx.scratch<float>(0, 10);
        allocator.fail_at_call = 1;

        CHECK_THROWS_AS(ctx.scratch<float>(1, 100), std::bad_alloc);
        CHECK(sum_of_256_ones(ctx) == 256);
        CHECK(ctx.scratch<float>(1, 100).size() == 100);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("an emulated device refuses what its parts refuse", "[kernels][simt]") {
    CHECK_THROWS_AS(EmulatedContext({.threads = -1}), ArgumentError);
    EmulatedContext ctx({.threads = 1});
    std::vector<float> none;
    CHECK_THROWS_AS(ctx.launch(tests::WarpScan<float>{none.data(), none.data()}, {.blocks_x = -1}), ArgumentError);
}
