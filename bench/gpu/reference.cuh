// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What bounds every row: a kernel that does nothing, and one that reads memory and does nothing else.

#include <bench/gpu/label.hpp>
#include <bench/gpu/problem.cuh>
#include <bench/gpu/timing.cuh>

namespace bench::gpu {

/// A block without work.
struct EmptyKernel {
    static constexpr const char* name = "EmptyKernel";
    static constexpr int block_threads = 32;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread&) const {}
};

/// Reads `count` packs, eight in flight a thread, and writes a sum that nobody expects.
struct ReadKernel {
    static constexpr const char* name = "ReadKernel";
    static constexpr int block_threads = 512;
    static constexpr int in_flight = 8;

    const float4* from;
    Size count;
    float* to;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size step = thread.blocks_x() * block_threads;
        float sum = 0;
        for (Size i = thread.global_index(); i < count; i += step * in_flight) {
            float4 pack[in_flight];
            for (int j = 0; j < in_flight; ++j) {
                const Size at = i + j * step;
                pack[j] = at < count ? from[at] : float4{0, 0, 0, 0};
            }
            for (int j = 0; j < in_flight; ++j) {
                sum += pack[j].x + pack[j].y + pack[j].z + pack[j].w;
            }
        }
        if (sum == 1) {
            *to = sum;
        }
    }
};

/// Keeps the device busy until its clocks are those of work.
inline void warm_up(CudaContext& ctx) {
    constexpr Size floats = 100'000'000;
    auto memory = ctx.allocate<float>(floats);
    double us = 0;
    while (us < 500'000) {
        us += once_us(ctx, [&] {
            for (int i = 0; i < 50; ++i) {
                ctx.fill(memory.span(), static_cast<float>(i));
            }
        });
    }
}

/// Rows `reference/empty_kernel` and `reference/read`, the latter of 2 GB, or of 2 MB if `quick`.
inline void run_references(CudaContext& ctx, Results& results, bool quick) {
    Row empty{.label = {.operation = "reference", .method = "empty_kernel"}};
    if (results.wants(empty.label)) {
        empty.calls = 20;
        const CallGraph graph(ctx, empty.calls, [&](int) { ctx.launch(EmptyKernel{}, {}); });
        const CallTime time = time_replays(ctx, graph, empty.calls);
        empty.median_us = time.median_us;
        empty.least_us = time.least_us;
        results.keep("reference", empty);
    }
    Row read{.label = {.operation = "reference", .method = "read"}};
    if (results.wants(read.label)) {
        const Size floats = quick ? 500'000 : 500'000'000;
        auto memory = ctx.allocate<float>(floats);
        ctx.for_each_index(
            floats,
            FillActivations{snack::kernels::gpu::Activations<float>(View(memory.data(), 1, floats)), floats, 5});
        read.calls = 5;
        read.memory_bytes = memory.bytes();
        const CallGraph graph(ctx, read.calls, [&](int) {
            ctx.launch(ReadKernel{reinterpret_cast<const float4*>(memory.data()), floats / 4, memory.data()},
                       {.blocks_x = 4 * ctx.multiprocessors()});
        });
        const CallTime time = time_replays(ctx, graph, read.calls);
        read.median_us = time.median_us;
        read.least_us = time.least_us;
        results.keep("reference", read);
    }
}

}  // namespace bench::gpu
