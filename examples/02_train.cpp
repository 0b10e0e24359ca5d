// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Trains a sparse network on Fashion-MNIST the way SET does (Mocanu et al. 2018): every hundred
// steps the weakest connections give way to random new ones. From the first step on weights,
// gradients and optimiser state exist for the connections only. The same source trains on the host
// and, compiled by nvcc, on a GPU as well: what a context computes is written once, for any.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <examples/support/command_line.hpp>
#include <examples/support/epoch_loss.hpp>
#include <examples/support/evaluation.hpp>
#include <examples/support/fashion_mnist.hpp>
#include <examples/support/format.hpp>
#include <examples/support/gather_images.hpp>
#include <examples/support/image_set.hpp>
#include <examples/support/memory_table.hpp>
#include <examples/support/mlp.hpp>
#include <examples/support/progress.hpp>
#include <examples/support/saved_training.hpp>
#include <examples/support/softmax_cross_entropy.hpp>
#include <examples/support/train_options.hpp>
#if defined(__CUDACC__)
#include <snack/snack.cuh>
#else
#include <snack/snack.hpp>
#endif

namespace {

using namespace examples;

/// What the table at the end is made of.
struct Outcome {
    Size correct = 0;  ///< test images
    Size optimizer_bytes = 0;
    Size epochs = 0;           ///< trained by this program
    double epoch_seconds = 0;  ///< of training, the mean; the test after each epoch apart
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

/// The training and test images where the context computes.
template <class Context>
struct Data {
    ImageSet<Context> train;
    ImageSet<Context> test;

    Data(Context& ctx, const FashionMnist& from)
        : train(ctx, from.train, from.standardised), test(ctx, from.test, from.standardised) {}
};

/// The training loop. Optimizer is snack::Sgd or snack::Adam, one object per layer.
template <class Backend, class Optimizer>
class Trainer {
public:
    using Network = Mlp<Backend>;
    using Context = typename Network::Context;

    /// @param saved  what to go on from, or null
    template <class OptimizerOptions>
    Trainer(Context& ctx, Data<Context>& data, const TrainOptions& options, Network& network,
            std::span<const Size> widths, const OptimizerOptions& optimizer_options, const SavedTraining* saved)
        : ctx_(ctx),
          data_(data),
          options_(options),
          network_(network),
          batches_(ctx, widths, options.batch),
          test_batches_(ctx, widths, 128),
          loss_(ctx, data.train.count(), options.batch),
          epoch_steps_((data.train.count() + options.batch - 1) / options.batch) {
        for (std::size_t i = 0; i < network.layers().size(); ++i) {
            const typename Network::Layer& layer = network.layers()[i];
            optimizers_.push_back(saved == nullptr ? Optimizer(ctx, layer, optimizer_options)
                                                   : saved->optimizer<Optimizer>(ctx, i, layer, optimizer_options));
        }
        first_epoch_ = saved == nullptr ? 1 : saved->epoch() + 1;
        step_ = (first_epoch_ - 1) * epoch_steps_;
        schedule_ = {.every = options.fixed_topology ? 0 : 100, .end = epoch_steps_ * options.epochs * 3 / 4};
    }

    Outcome run(Progress& progress) {
        Outcome outcome;
        const Stopwatch watch;
        const Size last = options_.stop_after > 0 ? std::min(options_.stop_after, options_.epochs) : options_.epochs;
        if (first_epoch_ > last) {
            progress.keep("nothing left to train: epoch " + std::to_string(first_epoch_ - 1) +
                          " was saved, the last one wanted is " + std::to_string(last) +
                          (last < options_.epochs ? " (--stop-after)" : "; --epochs goes on for longer"));
            outcome.correct = count_correct_images(ctx_, network_, data_.test, test_batches_);
        }
        for (Size epoch = first_epoch_; epoch <= last; ++epoch) {
            const std::string name = "epoch " + std::to_string(epoch) + "/" + std::to_string(options_.epochs);
            const Stopwatch epoch_watch;
            data_.train.shuffle(ctx_, options_.seed, static_cast<std::uint32_t>(epoch));
            loss_.clear();
            for (Size i = 0; i < epoch_steps_; ++i) {
                const Size seen = train_step(i);
                if (progress.due()) {
                    const double loss = loss_.mean(ctx_, seen);
                    progress.show(name + "  step " + std::to_string(i + 1) + "/" + std::to_string(epoch_steps_) +
                                  format("  loss %.4f  %.1f s", loss, watch.seconds()));
                }
            }
            const double loss = loss_.mean(ctx_, data_.train.count());
            outcome.epoch_seconds +=
                (epoch_watch.seconds() - outcome.epoch_seconds) / static_cast<double>(++outcome.epochs);
            outcome.correct = count_correct_images(ctx_, network_, data_.test, test_batches_);
            progress.keep(name + format("  loss %.4f  test accuracy ", loss) +
                          percent(outcome.correct, data_.test.count()) + format("  %.1f s", watch.seconds()));
            if (!options_.save.empty()) {
                save_training(ctx_, options_, epoch, network_, optimizers_);
            }
        }
        for (const Optimizer& optimizer : optimizers_) {
            outcome.optimizer_bytes += optimizer.bytes();
        }
        return outcome;
    }

private:
    /// Backward, step, rewire: the order of SET. Takes batch number `number` of the epoch, the last one smaller
    /// where the images do not divide evenly; returns how many images have been seen.
    Size train_step(Size number) {
        const Size begin = number * options_.batch;
        const Size batch = std::min(options_.batch, data_.train.count() - begin);
        const ChosenImages chosen = data_.train.from(begin);
        batches_.set_batch(batch);
        gather_images(ctx_, chosen, batches_.input());

        network_.forward(ctx_, batches_);
        softmax_cross_entropy(ctx_, batches_.logits(), chosen, batches_.logit_gradient(), loss_.from(begin));
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
        return begin + batch;
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

    Context& ctx_;
    Data<Context>& data_;
    const TrainOptions& options_;
    Network& network_;
    std::vector<Optimizer> optimizers_;
    Workspace<Context> batches_;
    Workspace<Context> test_batches_;
    EpochLoss<Context> loss_;
    Size epoch_steps_;
    Size first_epoch_ = 1;
    Size step_ = 0;
    snack::RewireSchedule schedule_;
};

/// @throws UsageError for a batch that is larger than the set
template <class Context>
Data<Context> load_data(Context& ctx, const TrainOptions& options) {
    const FashionMnist data = load_fashion_mnist(options.data);
    if (options.batch > data.train.count) {
        throw UsageError("--batch: " + std::to_string(options.batch) + " is more than the " +
                         std::to_string(data.train.count) + " training images");
    }
    return Data<Context>(ctx, data);
}

/// A new network, or the saved one.
template <class Backend, class Context>
Mlp<Backend> make_network(Context& ctx, const TrainOptions& options, const std::vector<Size>& widths,
                          const SavedTraining* saved) {
    return saved == nullptr ? Mlp<Backend>(ctx, widths, layer_entries(options, widths), options.seed)
                            : Mlp<Backend>(saved->layers<typename Mlp<Backend>::Layer>(ctx, widths));
}

/// Trains and prints what it cost; `place` is where that was.
template <class Backend, class Context>
void train(Context& ctx, const std::string& place, const TrainOptions& options, const SavedTraining* saved) {
    Data<Context> data = load_data(ctx, options);
    const std::vector<Size> widths = layer_widths(options, data.train.pixels());
    Mlp<Backend> network = make_network<Backend>(ctx, options, widths, saved);
    Progress progress(stderr);
    Outcome outcome;
    if (options.optimizer == "sgd") {
        using Sgd = snack::Sgd<float, typename Context::space>;
        const snack::SgdOptions sgd{.learning_rate = options.learning_rate, .momentum = 0.9, .weight_decay = 1e-4};
        outcome = Trainer<Backend, Sgd>(ctx, data, options, network, widths, sgd, saved).run(progress);
    } else {
        using Adam = snack::Adam<float, typename Context::space>;
        const snack::AdamOptions adam{.learning_rate = options.learning_rate, .weight_decay = 1e-4};
        outcome = Trainer<Backend, Adam>(ctx, data, options, network, widths, adam, saved).run(progress);
    }
    const Latency latency = measure_single_image(ctx, network, data.test, widths);

    std::printf("test accuracy  %s\n\n", percent(outcome.correct, data.test.count()).c_str());
    print_memory(stdout, network, outcome.optimizer_bytes);
    std::printf("\n");
    if (outcome.epochs > 0) {
        std::printf("seconds per epoch   %.2f, %s\n", outcome.epoch_seconds, place.c_str());
    }
    std::printf("one image, batch 1  %.0f us median, %.0f us 99th percentile\n", latency.median * 1e6,
                latency.percentile99 * 1e6);
}

void train_on_host(const TrainOptions& options, const SavedTraining* saved) {
    snack::HostContext ctx(snack::HostContext::Options{.threads = options.threads});
    train<snack::Host>(ctx, std::to_string(ctx.threads()) + " threads", options, saved);
}

#if defined(__CUDACC__)
void train_on_gpu(const TrainOptions& options, const SavedTraining* saved) {
    snack::CudaContext ctx;
    cudaDeviceProp device{};
    SNACK_CUDA("02_train", cudaGetDeviceProperties, &device, ctx.device());
    train<snack::CooSegmented>(ctx, device.name, options, saved);
}
#else
void train_on_gpu(const TrainOptions&, const SavedTraining*) {
    throw UsageError("--backend cuda: this program was built without CUDA; configure with -DSNACK_CUDA=ON");
}
#endif

/// Reads what --load names, and finds out whether --save can be written before anything is trained.
void train(const TrainOptions& given) {
    const auto saved = given.load.empty() ? nullptr : std::make_unique<const SavedTraining>(given);
    const TrainOptions& options = saved ? saved->options() : given;
    if (!options.save.empty()) {
        const snack::io::AtomicFile probe(options.save);
    }
    options.backend == "cuda" ? train_on_gpu(options, saved.get()) : train_on_host(options, saved.get());
}

}  // namespace

int main(int argc, char** argv) {
    return run_program<UsageError, DataError, snack::FileError, snack::FormatError, snack::TopologyError>(
        "02_train", [&] {
            if (const auto options = parse_train_options(argc, argv)) {
                train(*options);
            }
        });
}
