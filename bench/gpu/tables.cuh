// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which rows are measured: the default set, and the quick one, small matrices for a check that every row
// computes the right thing.

#include <vector>

#include <bench/gpu/rows.cuh>

namespace bench::gpu {

inline std::vector<Case> default_cases() {
    using enum Operation;
    std::vector<Case> cases{
        // By batch.
        {forward, 10000, 10000, 0.95, {1, 2, 4, 8, 16, 32, 64, 256}},
        // Other sparsities and shapes: squares, the MLPs of GPT-2 and of a larger language model.
        {forward, 10000, 10000, 0.90, {1, 4, 32}},
        {forward, 10000, 10000, 0.99, {1, 4, 32}},
        {forward, 5000, 5000, 0.95, {1, 2, 4, 16, 64}},
        {forward, 1000, 1000, 0.95, {1, 4}},
        {forward, 500, 500, 0.95, {1, 4}},
        {forward, 3072, 768, 0.90, {1, 64}},
        {forward, 4096, 14336, 0.90, {1, 8}},
        {forward, 10000, 12500, 0.99, {1}},
        // The shapes of GE-SpMM's and RoDe's comparisons.
        {forward, 10240, 10240, 0.95, {1, 4, 8, 64}},
        {forward, 4096, 14336, 0.95, {1, 4, 8}},
        // The paper's tables 11 and 12, with what is above, and its figure 2.
        {forward, 7500, 7500, 0.95, {1, 4}},
        {forward, 8500, 8500, 0.95, {1, 4}},
        {forward, 5000, 5000, 0.80, {1, 2}},
        {forward, 5000, 5000, 0.85, {1, 2}},
        {forward, 5000, 5000, 0.90, {1, 2}},
        {forward, 5000, 5000, 0.98, {1, 2}},
        {forward, 5000, 5000, 0.99, {1, 2}},
    };
    for (const Operation operation : {weight_gradient, input_gradient, backward}) {
        cases.push_back({operation, 10000, 10000, 0.95, {1, 4, 32}});
        cases.push_back({operation, 10000, 10000, 0.90, {1, 4}});
        cases.push_back({operation, 10000, 10000, 0.99, {1, 4}});
        cases.push_back({operation, 4096, 14336, 0.90, {1, 4}});
    }
    // The paper's tables 3 and 10, and its figure 3.
    for (const double sparsity : {0.90, 0.95, 0.99}) {
        cases.push_back({training_step, 10000, 10000, sparsity, {1, 2, 4, 8, 16, 32, 64}});
    }
    cases.push_back({training_step, 10000, 10000, 0.80, {1, 4}});
    for (const double sparsity : {0.90, 0.95, 0.99}) {
        cases.push_back({training_step, 10000, 12500, sparsity, {1}});
    }
    return cases;
}

inline std::vector<Case> quick_cases() {
    using enum Operation;
    std::vector<Case> cases;
    for (const Operation operation : {forward, weight_gradient, input_gradient, backward, training_step}) {
        cases.push_back({operation, 300, 200, 0.90, {1, 4, 33}});
        cases.push_back({operation, 71, 501, 0.90, {1, 8}});
    }
    return cases;
}

inline Settings quick_settings() {
    return {
        .cold_bytes = 10'000'000, .most_copies = 2, .warm_calls = 2, .timing = {.samples = 1, .least_sample_us = 0}};
}

}  // namespace bench::gpu
