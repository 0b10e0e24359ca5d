// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Trains a sparse network on Fashion-MNIST as SET does (Mocanu et al. 2018): every hundred steps
// the weakest connections are replaced by random new ones. It was never dense: weights, gradients
// and optimiser state exist for the connections only.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <examples/support/batches.hpp>
#include <examples/support/fashion_mnist.hpp>
#include <examples/support/format.hpp>
#include <examples/support/latency.hpp>
#include <examples/support/mlp.hpp>
#include <examples/support/progress.hpp>
#include <examples/support/softmax_cross_entropy.hpp>
#include <examples/support/table.hpp>
#include <examples/support/train_options.hpp>
#include <snack/snack.hpp>

namespace {

using namespace examples;

using Network = Mlp<snack::Host>;

std::vector<Size> layer_widths(const TrainOptions& options, Size pixels) {
    std::vector<Size> widths{pixels};
    widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
    widths.push_back(classes);
    return widths;
}

/// Connections of each layer.
std::vector<Size> layer_entries(const TrainOptions& options, std::span<const Size> widths) {
    std::vector<snack::LayerShape> shapes;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        shapes.push_back({.out_features = widths[i], .in_features = widths[i - 1]});
    }
    return options.density == "erk" ? snack::erdos_renyi_entries(shapes, options.sparsity)
                                    : snack::uniform_entries(shapes, options.sparsity);
}

/// Everything training needs, and the loop itself.
template <class Optimizer>
class Trainer {
public:
    template <class OptimizerOptions>
    Trainer(snack::HostContext& ctx, const FashionMnist& data, const TrainOptions& options,
            const OptimizerOptions& optimizer_options)
        : ctx_(ctx),
          data_(data),
          options_(options),
          widths_(layer_widths(options, data.train.pixels)),
          network_(ctx, widths_, layer_entries(options, widths_), options.seed),
          training_(widths_, options.batch),
          evaluation_(widths_, evaluation_batch),
          order_(static_cast<std::size_t>(data.train.count)),
          labels_(static_cast<std::size_t>(std::max(options.batch, evaluation_batch))),
          losses_(static_cast<std::size_t>(options.batch)),
          steps_per_epoch_((data.train.count + options.batch - 1) / options.batch) {
        for (const Network::Layer& layer : network_.layers()) {
            optimizers_.emplace_back(ctx, layer, optimizer_options);
        }
        schedule_.every = options.fixed_topology ? 0 : 100;
        schedule_.end = total_steps() * 3 / 4;
    }

    /// All epochs; afterwards seconds() and correct() tell how it went.
    void run(Progress& progress) {
        const Stopwatch watch;
        for (Size epoch = 1; epoch <= options_.epochs; ++epoch) {
            const Stopwatch epoch_watch;
            shuffle_epoch(options_.seed, static_cast<std::uint32_t>(epoch), order_);
            double loss = 0;
            for (Size i = 0; i < steps_per_epoch_; ++i) {
                loss += step(i);
                if (progress.due()) {
                    progress.show(format("epoch %lld/%lld  step %lld/%lld  loss %.4f  %.1f s", as_int(epoch),
                                         as_int(options_.epochs), as_int(i + 1), as_int(steps_per_epoch_),
                                         loss / static_cast<double>(i + 1), watch.seconds()));
                }
            }
            seconds_ += epoch_watch.seconds();
            correct_ = evaluate();
            progress.keep(format("epoch %lld/%lld  loss %.4f  test accuracy %s  %.1f s", as_int(epoch),
                                 as_int(options_.epochs), loss / static_cast<double>(steps_per_epoch_),
                                 accuracy().c_str(), watch.seconds()));
        }
    }
};

}  // namespace
