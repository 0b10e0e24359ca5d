// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Memory against input size (the paper's figure 4): one layer of 10000 outputs trains a step through an
// allocator that has as much memory as the paper's card, with more and more inputs until a method stops.
// Activations count here; nothing is timed, since what is asked for does not depend on the card.

#include <new>
#include <string>

#include <bench/gpu/rows.cuh>

namespace bench::gpu {

struct MemorySweep {
    Size budget_bytes;
    Size out_features;
    Size batch;
    std::vector<Size> in_features;  ///< ascending
    std::vector<double> sparsities;
};

/// The paper's sizes, and on to where the last method stops under 8 GB.
inline MemorySweep paper_sweep() {
    return {.budget_bytes = 8'000'000'000,
            .out_features = 10000,
            .batch = 4,
            .in_features = {2500,   5000,   7500,   10000,  12500,  15000,   17500,   20000,   25000,
                            30000,  35000,  40000,  50000,  60000,  65000,   75000,   100000,  150000,
                            200000, 300000, 400000, 600000, 800000, 1000000, 1500000, 2000000, 3000000},
            .sparsities = {0.90, 0.95, 0.99}};
}

inline MemorySweep quick_sweep() {
    return {.budget_bytes = 2'000'000,
            .out_features = 300,
            .batch = 4,
            .in_features = {200, 400, 40000},
            .sparsities = {0.90}};
}

/// The bytes that one size takes, or a note that it does not fit.
template <Method M>
void measure_memory(CudaContext& ctx, const MemorySweep& sweep, Row& row) {
    Workbench bench(ctx, sweep.budget_bytes);
    try {
        // A layer's own topology is made from the key; what the dense methods are made from lies outside.
        const Problem problem(ctx, sweep.out_features, row.label.in_features, row.label.sparsity);
        M layer(bench.ctx, problem, Operation::training_step);
        row.peak_bytes = bench.budget.peak();
        const Size scratch_of_making = bench.ctx.scratch_bytes();
        Operands operands(bench.ctx, problem, sweep.batch, Layout::row_major);
        layer.training_step(bench.ctx, operands);
        bench.ctx.synchronize();
        row.memory_bytes = bench.budget.held() - scratch_of_making;
        row.peak_bytes = bench.budget.peak();
    } catch (const snack::CudaError& error) {
        snack::require<snack::Error>(error.code() == cudaErrorMemoryAllocation, "measure_memory", error.what());
        row.note = "stops: the GPU has no more memory";
    } catch (const std::bad_alloc&) {
        row.note = "stops: beyond " + std::to_string(sweep.budget_bytes / 1'000'000) + " MB";
    }
    if (!row.note.empty()) {
        row.memory_bytes = 0;
        row.peak_bytes = 0;
    }
}

/// Rows `memory/METHOD/...`, up to the first size of each method and sparsity that does not fit.
inline void run_memory_sweep(CudaContext& ctx, Results& results, const MemorySweep& sweep) {
    const auto run = [&]<class M>(double sparsity) {
        for (const Size in_features : sweep.in_features) {
            Row row{.label = {"memory", M::name, sweep.out_features, in_features, sparsity, sweep.batch}};
            if (results.wants(row.label)) {
                measure_memory<M>(ctx, sweep, row);
                results.keep("memory", row);
                if (!row.note.empty()) {
                    return;
                }
            }
        }
    };
    for (const double sparsity : sweep.sparsities) {
        for_each_method<Backends>([&]<class M>() { run.template operator()<M>(sparsity); });
    }
    const auto dense = [&]<class M>() { run.template operator()<M>(sweep.sparsities.back()); };
    dense.template operator()<CublasDense<Precision::fp32, WeightOrder::rows>>();
    dense.template operator()<CublasDense<Precision::fp32, WeightOrder::rows, Masking::multiplied>>();
}

}  // namespace bench::gpu
