// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What is measured: the operations, and the numbers that name one row of a table.
// `name()` is how Google Benchmark and its filter know a row.

#include <cstdio>
#include <string>

#include <snack/core/matrix_view.hpp>

namespace bench {

using snack::Index;
using snack::Layout;
using snack::Size;

enum class Operation {
    forward,
    input_gradient,
    weight_gradient,
    backward,       ///< both gradients
    training_step,  ///< forward, both gradients, SGD with momentum
};

inline const char* name_of(Operation operation) {
    constexpr const char* names[] = {"forward", "input_gradient", "weight_gradient", "backward", "training_step"};
    return names[static_cast<int>(operation)];
}

inline const char* name_of(Layout layout) {
    return layout == Layout::row_major ? "row_major" : "column_major";
}

/// Of a training step: small, so that weights stay near their start however many steps are timed; a power of two.
inline constexpr float learning_rate = 0x1p-20f;
inline constexpr float momentum = 0.875f;

/// What an adapter prepares for.
struct Setting {
    Operation operation;
    int threads;
};

/// Bytes that no kernel can do without, the numerator of gb_per_s, for every backend alike: a
/// 16-bit column for each pass over the matrix, 4 for each value or gradient that is read or
/// written, and the activations once. A step takes its three parts one after the other.
inline double compulsory_bytes(Operation operation, Size nnz, Size batch, Size out_features, Size in_features) {
    constexpr double per_entry[] = {6, 6, 6, 10, 6 + 10 + 20};
    const Size features[] = {in_features + out_features, in_features + out_features, in_features + out_features,
                             2 * in_features + out_features, 3 * in_features + 2 * out_features};
    const auto at = static_cast<std::size_t>(operation);
    return per_entry[at] * static_cast<double>(nnz) + 4.0 * static_cast<double>(batch * features[at]);
}

/// The columns of the results that say what a row is; text where a row has none of it.
struct Label {
    std::string operation;
    std::string backend;
    Size out_features = 0;
    Size in_features = 0;
    double sparsity = 0;
    Size batch = 0;
    int threads = 0;
    std::string layout = "-";
    std::string cache = "warm";

    std::string name() const {
        char text[256];
        std::snprintf(text, sizeof text, "%s/%s/float/%lldx%lld/%.2f/%lld/%d/%s/%s", operation.c_str(), backend.c_str(),
                      static_cast<long long>(out_features), static_cast<long long>(in_features), sparsity,
                      static_cast<long long>(batch), threads, layout.c_str(), cache.c_str());
        return text;
    }
};

}  // namespace bench
