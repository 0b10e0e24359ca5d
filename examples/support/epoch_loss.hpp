// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The mean loss of an epoch. Every step leaves the losses of its samples where the context computes; they
// are fetched when somebody asks for the mean, so that steps need not wait for one another's loss.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <snack/core/types.hpp>

namespace examples {

using snack::Size;

template <class Context>
class EpochLoss {
public:
    /// @param samples  of an epoch
    /// @param batch    samples of a step; the last one may have fewer
    EpochLoss(Context& ctx, Size samples, Size batch)
        : batch_(batch), losses_(ctx.template allocate<float>(samples)), fetched_(static_cast<std::size_t>(samples)) {}

    /// Begins an epoch.
    void clear() {
        counted_ = 0;
        steps_ = 0;
        mean_ = 0;
    }

    /// Where the step whose first sample is number `begin` of the epoch writes its losses.
    float* from(Size begin) { return losses_.data() + begin; }

    /// The mean over the steps that make up the first `samples` of the epoch, each the mean of its batch.
    /// Waits for them.
    double mean(Context& ctx, Size samples) {
        const auto first = static_cast<std::size_t>(counted_);
        const auto count = static_cast<std::size_t>(samples - counted_);
        ctx.copy_to_host(std::as_const(losses_).span().subspan(first, count),
                         std::span(fetched_).subspan(first, count));
        while (counted_ < samples) {
            const Size end = std::min(counted_ + batch_, samples);
            const double batch = static_cast<double>(end - counted_);
            double total = 0;
            for (; counted_ < end; ++counted_) {
                total += fetched_[static_cast<std::size_t>(counted_)];
            }
            mean_ += (total / batch - mean_) / static_cast<double>(++steps_);
        }
        return mean_;
    }

private:
    Size batch_;
    typename Context::template buffer<float> losses_;
    std::vector<float> fetched_;
    Size counted_ = 0;
    Size steps_ = 0;
    double mean_ = 0;
};

}  // namespace examples
