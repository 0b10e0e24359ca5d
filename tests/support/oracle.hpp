// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The right answers, from nested loops over cells in long double, sharing no code with any backend.
// Each answer carries the sum of magnitudes its tolerance is derived from.

#include <vector>

#include <tests/support/activations.hpp>
#include <tests/support/patterns.hpp>
#include <tests/support/tolerance.hpp>

namespace tests {

/// y(b, i) at [b * out_features + i]; an empty bias adds nothing.
template <class T>
std::vector<ExactSum> exact_forward(const Pattern& pattern, const std::vector<T>& values, const std::vector<T>& bias,
                                    const Activations<T>& x, Size batch) {
    std::vector<ExactSum> y(static_cast<std::size_t>(batch * pattern.out_features));
    for (Size sample = 0; sample < batch; ++sample) {
        ExactSum* line = y.data() + sample * pattern.out_features;
        for (Size row = 0; row < pattern.out_features && !bias.empty(); ++row) {
            line[row].add(bias[static_cast<std::size_t>(row)]);
        }
        for (std::size_t e = 0; e < pattern.cells.size(); ++e) {
            line[pattern.row(e)].add(static_cast<long double>(values[e]) * x(sample, pattern.column(e)));
        }
    }
    return y;
}

/// dx(b, j) at [b * in_features + j].
template <class T>
std::vector<ExactSum> exact_input_gradient(const Pattern& pattern, const std::vector<T>& values,
                                           const Activations<T>& dy, Size batch) {
    std::vector<ExactSum> dx(static_cast<std::size_t>(batch * pattern.in_features));
    for (Size sample = 0; sample < batch; ++sample) {
        for (std::size_t e = 0; e < pattern.cells.size(); ++e) {
            dx[static_cast<std::size_t>(sample * pattern.in_features + pattern.column(e))].add(
                static_cast<long double>(values[e]) * dy(sample, pattern.row(e)));
        }
    }
    return dx;
}

/// dw[e], on top of `start` (nnz, or empty for zero).
template <class T>
std::vector<ExactSum> exact_weight_gradient(const Pattern& pattern, const Activations<T>& x, const Activations<T>& dy,
                                            Size batch, const std::vector<T>& start = {}) {
    std::vector<ExactSum> dw(pattern.cells.size());
    for (std::size_t e = 0; e < dw.size(); ++e) {
        if (!start.empty()) {
            dw[e].add(start[e]);
        }
        for (Size sample = 0; sample < batch; ++sample) {
            dw[e].add(static_cast<long double>(dy(sample, pattern.row(e))) * x(sample, pattern.column(e)));
        }
    }
    return dw;
}

/// db[i], on top of `start` (out_features, or empty for zero).
template <class T>
std::vector<ExactSum> exact_bias_gradient(const Activations<T>& dy, Size batch, Size out_features,
                                          const std::vector<T>& start = {}) {
    std::vector<ExactSum> db(static_cast<std::size_t>(out_features));
    for (std::size_t row = 0; row < db.size(); ++row) {
        if (!start.empty()) {
            db[row].add(start[row]);
        }
        for (Size sample = 0; sample < batch; ++sample) {
            db[row].add(dy(sample, static_cast<Size>(row)));
        }
    }
    return db;
}

}  // namespace tests
