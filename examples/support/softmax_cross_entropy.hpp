// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The loss of a classifier: softmax of the logits, minus the logarithm at the true class; and whether the
// largest logit is the true one. A sample at a time, so threads cannot change a result.

#include <cmath>
#include <cstdint>

#include <examples/support/image_set.hpp>
#include <snack/core/matrix_view.hpp>

namespace examples {

template <class Space>
struct SoftmaxCrossEntropy {
    snack::MatrixView<const float, Space> logits;
    ChosenImages images;
    snack::MatrixView<float, Space> gradient;
    float* losses;

    SNACK_HOST_DEVICE void operator()(Size sample) const {
        const float share = 1.0f / static_cast<float>(logits.batch());
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
        const Size label = images.label(sample);
        gradient(sample, label) -= share;
        losses[sample] = std::log(sum) - (logits(sample, label) - largest);
    }
};

/// The gradient of the mean loss with respect to the logits, and the loss of each sample:
///
///   gradient(b, c) = (softmax(logits(b, .))[c] - [c == label(b)]) / batch
///
/// @param logits    (batch, classes)
/// @param images    whose labels are the true classes
/// @param gradient  (batch, classes), overwritten
/// @param losses    batch elements in the memory space of the context, overwritten
template <class Context>
void softmax_cross_entropy(Context& ctx, snack::MatrixView<const float, typename Context::space> logits,
                           const ChosenImages& images, snack::MatrixView<float, typename Context::space> gradient,
                           float* losses) {
    ctx.for_each_index(logits.batch(), SoftmaxCrossEntropy<typename Context::space>{logits, images, gradient, losses});
}

/// right[b] = whether sample b has its largest logit at the true class; the first of equal ones counts.
template <class Space>
struct CompareWithLabel {
    snack::MatrixView<const float, Space> logits;
    ChosenImages images;
    std::uint8_t* right;

    SNACK_HOST_DEVICE void operator()(Size sample) const {
        Size best = 0;
        for (Size c = 1; c < logits.features(); ++c) {
            best = logits(sample, c) > logits(sample, best) ? c : best;
        }
        right[sample] = best == images.label(sample);
    }
};

}  // namespace examples
