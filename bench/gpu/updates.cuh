// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What happens to a layer besides its products: making it, topology, values and plan together, and rewiring
// it. Both wait for the device some times, so the host's clock tells their time; peers have neither.

#include <chrono>
#include <cmath>

#include <bench/gpu/rows.cuh>

namespace bench::gpu {

inline constexpr double rewired_fraction = 0.3;

/// Microseconds until the device has done what `work` starts.
template <class Work>
double host_us(const CudaContext& ctx, const Work& work) {
    ctx.synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    ctx.synchronize();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Rows `initialiser` and `rewire` of a square layer; peak_bytes is what they hold at a time on top of the
/// finished layer.
template <class B>
void run_updates(CudaContext& beside, Results& results, Size features, double sparsity, int samples) {
    using Layer = snack::SparseLinear<B, float>;
    const auto make = [&](CudaContext& ctx) {
        return Layer(ctx, {.in_features = features, .out_features = features, .sparsity = sparsity, .seed = seed});
    };
    for (const bool rewires : {false, true}) {
        Row row{.label = {rewires ? "rewire" : "initialiser", B::name, features, features, sparsity}};
        if (!results.wants(row.label)) {
            continue;
        }
        Workbench bench(beside);
        CudaContext& ctx = bench.ctx;
        Layer layer = make(ctx);
        std::vector<double> us;
        for (int sample = -1; sample < samples; ++sample) {  // the first one takes memory from the system
            const Size held = bench.budget.held();
            bench.budget.forget_peak();
            const double took = host_us(ctx, [&] {
                if (rewires) {
                    const auto report =
                        layer.rewire(ctx, snack::MagnitudePruner{rewired_fraction}, snack::UniformGrower{});
                    const Size wanted = std::llround(rewired_fraction * static_cast<double>(layer.nnz()));
                    if (report.dropped() != wanted || report.grown() != wanted) {
                        row.note = "wrong: another number of connections than asked for";
                    }
                } else {
                    const Layer made = make(ctx);
                }
            });
            row.memory_bytes = layer.memory().total();
            row.peak_bytes = bench.budget.peak() - held;
            if (sample >= 0) {
                us.push_back(took);
            }
        }
        std::sort(us.begin(), us.end());
        row.median_us = us[us.size() / 2];
        row.least_us = us.front();
        if (!row.note.empty()) {
            results.count_fault();
        }
        results.keep("updates", row);
    }
}

}  // namespace bench::gpu
