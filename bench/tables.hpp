// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which rows are measured: the default set, ten minutes on two cores, and the quick one,
// small matrices for a check that every row still computes the right thing.

#include <utility>
#include <vector>

#include <bench/rows.hpp>
#include <bench/step_parts.hpp>
#include <bench/updates.hpp>

namespace bench {

struct Plan {
    std::vector<Table> tables;
    std::vector<Table> host_alone;
    std::vector<std::pair<Size, double>> updates;  ///< features in and out, sparsity
    std::vector<int> threads;                      ///< of updates and parts of a step
    int steps;
};

inline Plan default_plan(int processors) {
    using enum Operation;
    const std::vector<std::pair<Size, Size>> square{{4000, 4000}};
    const std::vector<std::pair<Size, Size>> small{{1000, 1000}, {1000, 784}, {3072, 768}};
    const std::vector<std::pair<Size, Size>> large{{4096, 14336}};
    const std::vector<double> curve{0.80, 0.90, 0.95, 0.98, 0.99};
    const std::vector<double> three{0.90, 0.95, 0.99};
    const std::vector<int> all{processors};
    const std::vector<int> one_and_all = processors > 1 ? std::vector<int>{1, processors} : all;
    std::vector<Table> tables{
        {forward, square, curve, {1, 2, 4, 8, 16, 32, 64, 128}, all},
        {forward, square, three, {1, 4, 32}, all, Cache::cold},
        {forward, small, {0.90, 0.95}, {1, 4, 32}, all},
        {forward, large, {0.90}, {1, 8, 32}, all},
        {input_gradient, square, three, {1, 4, 32}, all},
        {weight_gradient, square, three, {1, 4, 32}, all},
        {backward, square, three, {1, 4, 32}, all},
        {training_step, square, three, {1, 4, 32, 128}, all},
        {training_step, small, {0.90}, {4, 32}, all},
        {training_step, large, {0.90}, {4}, all},
    };
    std::vector<Table> host_alone{
        {forward, square, {0.99}, {1, 4, 32}, all, Cache::warm, Support::skewed},
        {backward, square, {0.99}, {1, 4, 32}, all, Cache::warm, Support::skewed},
    };
    if (processors > 1) {
        tables.insert(tables.begin() + 1, {forward, square, {0.95}, {1, 4, 8, 16, 32, 64, 128}, {1}});
        host_alone.push_back({backward, square, {0.95}, {32}, {1}});
    }
    return {std::move(tables), std::move(host_alone), {{1000, 0.95}, {4000, 0.95}, {10000, 0.95}}, one_and_all, 400};
}

inline Plan quick_plan(int processors) {
    using enum Operation;
    const std::vector<std::pair<Size, Size>> shapes{{300, 200}, {70, 500}};
    const std::vector<Size> batches{1, 4, 33};
    const std::vector<int> threads = processors > 1 ? std::vector<int>{1, processors} : std::vector<int>{1};
    return {{{forward, shapes, {0.90}, batches, threads},
             {forward, {{300, 200}}, {0.90}, {4}, threads, Cache::cold},
             {input_gradient, shapes, {0.90}, batches, threads},
             {weight_gradient, shapes, {0.90}, batches, threads},
             {backward, shapes, {0.90}, batches, threads},
             {training_step, shapes, {0.90}, batches, threads}},
            {{forward, {{400, 300}}, {0.99}, {1, 4}, threads, Cache::warm, Support::skewed},
             {backward, {{400, 300}}, {0.99}, {1, 4}, threads, Cache::warm, Support::skewed}},
            {{200, 0.95}},
            threads,
            2};
}

inline void run_plan(Measurements& measurements, const Plan& plan) {
    for (const Table& table : plan.tables) {
        run_table<Backends>(measurements, table);
    }
    for (const Table& table : plan.host_alone) {
        run_table<HostAlone>(measurements, table);
    }
    for (const auto& [features, sparsity] : plan.updates) {
        for (const int threads : plan.threads) {
            run_updates(measurements, features, sparsity, threads);
        }
    }
    for (const int threads : plan.threads) {
        StepParts(measurements, threads).run(plan.steps);
    }
}

}  // namespace bench
