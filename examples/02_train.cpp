// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Trains a sparse network on Fashion-MNIST the way SET does (Mocanu et al. 2018): every hundred
// steps the weakest connections give way to random new ones. From the first step on weights,
// gradients and optimiser state exist for the connections only.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <examples/support/batches.hpp>
#include <examples/support/evaluation.hpp>
#include <examples/support/fashion_mnist.hpp>
#include <examples/support/format.hpp>
#include <examples/support/memory_table.hpp>
#include <examples/support/mlp.hpp>
#include <examples/support/progress.hpp>
#include <examples/support/softmax_cross_entropy.hpp>
#include <examples/support/train_options.hpp>
#include <snack/snack.hpp>

namespace {

using namespace examples;

using Network = Mlp<snack::Host>;

/// What the table at the end is made of.
struct Outcome {
    Size correct = 0;  ///< test images
    Size optimizer_bytes = 0;
    double epoch_seconds = 0;  ///< of training; the test after each epoch apart
};

std::vector<Size> layer_widths(const TrainOptions& options, Size pixels) {
    std::vector<Size> widths{pixels};
    widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
    widths.push_back(classes);
    return widths;
}

/// How many connections each layer gets.
std::vector<Size> layer_entries(const TrainOptions& options, std::span<const Size> widths) {
    std::vector<snack::LayerShape> shapes;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        shapes.push_back({.out_features = widths[i], .in_features = widths[i - 1]});
    }
    return options.density == "erk" ? snack::erdos_renyi_entries(shapes, options.sparsity)
                                    : snack::uniform_entries(shapes, options.sparsity);
}

std::string percent(Size part, Size whole) {
    return format("%.2f %%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// The training loop. Optimizer is snack::Sgd or snack::Adam, one object per layer.
template <class Optimizer>
class Trainer {
public:
    template <class OptimizerOptions>
    Trainer(snack::HostContext& ctx, const FashionMnist& data, const TrainOptions& options, Network& network,
            std::span<const Size> widths, const OptimizerOptions& optimizer_options)
        : ctx_(ctx),
          data_(data),
          options_(options),
          network_(network),
          batches_(widths, options.batch),
          test_batches_(widths, 128),
          order_(data.train.labels.size()),
          labels_(static_cast<std::size_t>(options.batch)),
          losses_(static_cast<std::size_t>(options.batch)),
          epoch_steps_((data.train.count + options.batch - 1) / options.batch) {
        for (const Network::Layer& layer : network.layers()) {
            optimizers_.emplace_back(ctx, layer, optimizer_options);
        }
        schedule_ = {.every = options.fixed_topology ? 0 : 100, .end = epoch_steps_ * options.epochs * 3 / 4};
    }

    Outcome run(Progress& progress) {
        Outcome outcome;
        const Stopwatch watch;
        for (Size epoch = 1; epoch <= options_.epochs; ++epoch) {
            const std::string name = "epoch " + std::to_string(epoch) + "/" + std::to_string(options_.epochs);
            const Stopwatch epoch_watch;
            shuffle_epoch(options_.seed, static_cast<std::uint32_t>(epoch), order_);
            double loss = 0;
            for (Size i = 0; i < epoch_steps_; ++i) {
                loss += (train_step(i) - loss) / static_cast<double>(i + 1);
                if (progress.due()) {
                    progress.show(name + "  step " + std::to_string(i + 1) + "/" + std::to_string(epoch_steps_) +
                                  format("  loss %.4f  %.1f s", loss, watch.seconds()));
                }
            }
            outcome.epoch_seconds += epoch_watch.seconds() / static_cast<double>(options_.epochs);
            outcome.correct = count_correct_images(ctx_, network_, data_, test_batches_);
            progress.keep(name + format("  loss %.4f  test accuracy ", loss) +
                          percent(outcome.correct, data_.test.count) + format("  %.1f s", watch.seconds()));
        }
        for (const Optimizer& optimizer : optimizers_) {
            outcome.optimizer_bytes += optimizer.bytes();
        }
        return outcome;
    }

private:
    /// Backward, step, rewire: the order of SET. Returns the loss of batch number `number` of the
    /// epoch; the last batch is smaller where the images do not divide evenly.
    double train_step(Size number) {
        const Size begin = number * options_.batch;
        const Size batch = std::min(options_.batch, data_.train.count - begin);
        const auto chosen = std::span(order_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(batch));
        batches_.set_batch(batch);
        gather_images(ctx_, data_, data_.train, chosen, batches_.input());
        gather_labels(data_.train, chosen, labels_);

        network_.forward(ctx_, batches_);
        const double loss = softmax_cross_entropy(ctx_, batches_.logits(), labels_, batches_.logit_gradient(), losses_);
        network_.backward(ctx_, batches_);

        const double rate = learning_rate();
        for (std::size_t i = 0; i < optimizers_.size(); ++i) {
            optimizers_[i].set_learning_rate(rate);
            optimizers_[i].step(ctx_, network_.layers()[i]);
        }
        ++step_;
        if (schedule_.should_rewire(step_)) {
            rewire();
        }
        return loss;
    }

    /// From the given rate at the first step to 0 after the last, along a cosine.
    double learning_rate() const {
        const double progress = static_cast<double>(step_) / static_cast<double>(epoch_steps_ * options_.epochs);
        return options_.learning_rate / 2 * (1 + std::cos(3.141592653589793 * progress));
    }

    /// Full layers have no free cell and are left alone.
    void rewire() {
        const snack::MagnitudePruner pruner{schedule_.fraction_at(step_)};
        for (std::size_t i = 0; i < optimizers_.size(); ++i) {
            optimizers_[i].remap(ctx_, network_.layers()[i].rewire(ctx_, pruner, snack::UniformGrower{}));
        }
    }

    snack::HostContext& ctx_;
    const FashionMnist& data_;
    const TrainOptions& options_;
    Network& network_;
    std::vector<Optimizer> optimizers_;
    Workspace batches_;
    Workspace test_batches_;
    std::vector<std::uint32_t> order_;  ///< of the training images in this epoch
    std::vector<std::uint8_t> labels_;
    std::vector<float> losses_;
    Size epoch_steps_;
    Size step_ = 0;
    snack::RewireSchedule schedule_;
};

void train(const TrainOptions& options) {
    const FashionMnist data = load_fashion_mnist(options.data);
    if (options.batch > data.train.count) {
        throw UsageError("--batch: " + std::to_string(options.batch) + " is more than the " +
                         std::to_string(data.train.count) + " training images");
    }
    snack::HostContext ctx(snack::HostContext::Options{.threads = options.threads});
    const std::vector<Size> widths = layer_widths(options, data.train.pixels);
    Network network(ctx, widths, layer_entries(options, widths), options.seed);
    Progress progress(stderr);
    Outcome outcome;
    if (options.optimizer == "sgd") {
        const snack::SgdOptions sgd{.learning_rate = options.learning_rate, .momentum = 0.9, .weight_decay = 1e-4};
        outcome = Trainer<snack::Sgd<float>>(ctx, data, options, network, widths, sgd).run(progress);
    } else {
        const snack::AdamOptions adam{.learning_rate = options.learning_rate, .weight_decay = 1e-4};
        outcome = Trainer<snack::Adam<float>>(ctx, data, options, network, widths, adam).run(progress);
    }
    const Latency latency = measure_single_image(ctx, network, data, widths);

    std::printf("test accuracy  %s\n\n", percent(outcome.correct, data.test.count).c_str());
    print_memory(stdout, network, outcome.optimizer_bytes);
    std::printf("\nseconds per epoch   %.2f, %d threads\n", outcome.epoch_seconds, ctx.threads());
    std::printf("one image, batch 1  %.0f us median, %.0f us 99th percentile\n", latency.median * 1e6,
                latency.percentile99 * 1e6);
}

/// Says what went wrong in one line, whatever the text came from.
int fail(std::string text, int status) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, '?');
    std::fprintf(stderr, "02_train: %s\n", text.c_str());
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (const auto options = parse_train_options(argc, argv)) {
            train(*options);
        }
        return 0;
    } catch (const UsageError& error) {
        return fail(error.what(), 2);
    } catch (const DataError& error) {
        return fail(error.what(), 2);
    } catch (const std::exception& error) {
        return fail(error.what(), 1);
    }
}
