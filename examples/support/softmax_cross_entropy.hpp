// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The loss of a classifier: softmax of the logits, minus the logarithm at the true class, mean
// over the batch; and how many samples whose largest logit is the true one.

#include <cmath>
#include <cstdint>
#include <span>

#include <snack/core/matrix_view.hpp>

namespace examples {

using snack::Size;

/// Mean loss, and its gradient with respect to the logits:
///
///   gradient(b, c) = (softmax(logits(b, .))[c] - [c == labels[b]]) / batch
///
/// @param logits    (batch, classes)
/// @param labels    batch class numbers
/// @param gradient  (batch, classes), overwritten
/// @param losses    batch elements of scratch; summed in order, so threads change nothing
template <class Context>
double softmax_cross_entropy(Context& ctx, snack::MatrixView<const float> logits, std::span<const std::uint8_t> labels,
                             snack::MatrixView<float> gradient, std::span<float> losses) {
    const float share = 1.0f / static_cast<float>(logits.batch());
    ctx.parallel_ranges(logits.batch(), 256, [&](Size begin, Size end) {
        for (Size sample = begin; sample < end; ++sample) {
            float largest = logits(sample, 0);
            for (Size c = 1; c < logits.features(); ++c) {
                largest = std::fmax(largest, logits(sample, c));
            }
            float sum = 0;
            for (Size c = 0; c < logits.features(); ++c) {
                const float weight = std::exp(logits(sample, c) - largest);
                gradient(sample, c) = weight;
                sum += weight;
            }
            for (Size c = 0; c < logits.features(); ++c) {
                gradient(sample, c) *= share / sum;
            }
            const Size label = labels.data()[sample];
            gradient(sample, label) -= share;
            losses.data()[sample] = std::log(sum) - (logits(sample, label) - largest);
        }
    });
    double total = 0;
    for (Size sample = 0; sample < logits.batch(); ++sample) {
        total += losses.data()[sample];
    }
    return total / static_cast<double>(logits.batch());
}

/// How many samples have their largest logit at the true class; the first of equal ones counts.
inline Size count_correct(snack::MatrixView<const float> logits, std::span<const std::uint8_t> labels) {
    Size correct = 0;
    for (Size sample = 0; sample < logits.batch(); ++sample) {
        Size best = 0;
        for (Size c = 1; c < logits.features(); ++c) {
            best = logits(sample, c) > logits(sample, best) ? c : best;
        }
        correct += best == labels.data()[sample];
    }
    return correct;
}

}  // namespace examples
