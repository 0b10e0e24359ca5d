// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where the time of a training step goes: the network and batch of examples/02_train, its parts
// timed one by one inside the step, so that each finds the caches as the part before left them.
// The images are made up: their contents change no time.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <bench/measurements.hpp>
#include <bench/results.hpp>
#include <examples/support/gather_images.hpp>
#include <examples/support/image_set.hpp>
#include <examples/support/mlp.hpp>
#include <examples/support/softmax_cross_entropy.hpp>
#include <snack/backends/host.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/init/density.hpp>
#include <snack/nn/sgd.hpp>

namespace bench {

class StepParts {
public:
    StepParts(Measurements& measurements, int threads)
        : measurements_(measurements),
          threads_(threads),
          ctx_({.threads = threads}),
          network_(ctx_, widths, entries(), 1),
          work_(ctx_, widths, batch),
          images_(made_up_images(ctx_)),
          losses_(batch) {
        for (const Layer& layer : network_.layers()) {
            optimizers_.emplace_back(ctx_, layer, snack::SgdOptions{.learning_rate = 1e-3, .momentum = 0.9});
        }
        work_.set_batch(batch);
    }

    /// Rows `step_parts/...`, in the order of the step; does nothing if the filter wants none.
    void run(int steps) {
        if (!measurements_.wants(label("step", 0, 0))) {
            return;
        }
        for (int i = 0; i < steps && right_; ++i) {
            step(i);
        }
        for (Row& row : rows_) {
            if (right_) {
                std::printf("%-72s %10.1f us\n", row.label.name().c_str(), 1e6 * median(row.seconds));
            } else {
                row.seconds.clear();
                row.note = "wrong: other gradients than the example's";
                std::printf("%-72s %s\n", row.label.name().c_str(), row.note.c_str());
            }
        }
        if (!right_) {
            measurements_.count_fault();
        }
        measurements_.keep(std::move(rows_));
    }

private:
    using Network = examples::Mlp<snack::Host>;
    using Layer = Network::Layer;

    static constexpr Size batch = 100;
    static constexpr Size images = 20000;
    static constexpr int rewire_every = 20;  ///< often, to have many of them; a hundredth of one counts
    static constexpr double amortised_over = 100;
    inline static const std::vector<Size> widths{784, 1000, 1000, 1000, examples::classes};

    static std::vector<Size> entries() {
        std::vector<snack::LayerShape> shapes;
        for (std::size_t i = 1; i < widths.size(); ++i) {
            shapes.push_back({.out_features = widths[i], .in_features = widths[i - 1]});
        }
        return snack::erdos_renyi_entries(shapes, 0.95);
    }

    static examples::ImageSet<snack::HostContext> made_up_images(snack::HostContext& ctx) {
        examples::LabelledImages made_up{.count = images, .pixels = widths[0], .images = {}, .labels = {}};
        for (Size i = 0; i < images * widths[0]; ++i) {
            made_up.images.push_back(static_cast<std::uint8_t>(i * i >> 7));
        }
        for (Size i = 0; i < images; ++i) {
            made_up.labels.push_back(static_cast<std::uint8_t>(i % examples::classes));
        }
        std::array<float, 256> standardised{};
        for (std::size_t i = 0; i < standardised.size(); ++i) {
            standardised[i] = static_cast<float>(i) / 128 - 1;
        }
        examples::ImageSet<snack::HostContext> set(ctx, made_up, standardised);
        set.shuffle(ctx, 1, 1);
        return set;
    }

    Label label(const std::string& part, Size out_features, Size in_features) const {
        return {.operation = "step_parts/" + part,
                .backend = snack::Host::name,
                .out_features = out_features,
                .in_features = in_features,
                .sparsity = 0.95,
                .batch = batch,
                .threads = threads_,
                .layout = name_of(Layout::column_major)};
    }

    /// Adds a time to the row of a part.
    Row& record(const Label& at, double seconds) {
        const auto same = [&](const Row& row) { return row.label.operation == at.operation; };
        auto row = std::find_if(rows_.begin(), rows_.end(), same);
        if (row == rows_.end()) {
            row = rows_.insert(row, Row{.label = at});
        }
        row->seconds.push_back(seconds);
        elapsed_ += seconds;
        return *row;
    }

    template <class Body>
    void time(const char* part, const Body& body) {
        record(label(part, 0, 0), seconds_of(body));
    }

    template <class Body>
    void time_layer(const char* part, std::size_t i, const Body& body) {
        const Layer& layer = network_.layers()[i];
        const double seconds = seconds_of(body);
        record(label(std::string(part) + "_" + std::to_string(i), layer.out_features(), layer.in_features()), seconds);
    }

    void step(int number) {
        elapsed_ = 0;
        parts(number);
        record(label("step", 0, 0), elapsed_);
        if (number % rewire_every == rewire_every - 1) {
            const double seconds = seconds_of([&] { rewire(); });
            record(label("rewire", 0, 0), seconds / amortised_over).note = "a hundredth of one";
        }
    }

    void parts(int number) {
        std::vector<Layer>& layers = network_.layers();
        const examples::ChosenImages chosen = images_.from(number * batch % images);
        time("gather", [&] { examples::gather_images(ctx_, chosen, work_.input()); });
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto activation = i + 1 < layers.size() ? snack::Activation::relu : snack::Activation::none;
            time_layer("forward", i,
                       [&] { layers[i].forward(ctx_, work_.activation(i), work_.activation(i + 1), activation); });
        }
        time("loss", [&] {
            examples::softmax_cross_entropy(ctx_, work_.logits(), chosen, work_.logit_gradient(), losses_.data());
        });
        for (std::size_t i = layers.size(); i-- > 0;) {
            const snack::MatrixView<const float> x = work_.activation(i);
            const snack::MatrixView<const float> dy = work_.gradient(i + 1);
            time_layer("backward", i, [&] { products_backward(layers[i], x, dy, i); });
            time_layer("bias_gradient", i,
                       [&] { snack::Host::bias_gradient<float>(ctx_, dy, layers[i].bias_gradients(), 0); });
            if (i > 0) {
                time_layer("relu_backward", i - 1, [&] { examples::relu_backward(ctx_, x, work_.gradient(i)); });
            }
        }
        right_ = number > 0 || gradients_agree(chosen);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            time_layer("sgd", i, [&] { optimizers_[i].step(ctx_, layers[i]); });
        }
    }

    /// Whether the example's own backward pass gives the same bits.
    bool gradients_agree(const examples::ChosenImages& chosen) {
        std::vector<Layer> expected = network_.layers();
        examples::softmax_cross_entropy(ctx_, work_.logits(), chosen, work_.logit_gradient(), losses_.data());
        network_.backward(ctx_, work_);
        const auto same = [](const Layer& a, const Layer& b) {
            return std::memcmp(a.gradients().data(), b.gradients().data(), a.gradients().size_bytes()) == 0 &&
                   std::memcmp(a.bias_gradients().data(), b.bias_gradients().data(), a.bias_gradients().size_bytes()) ==
                       0;
        };
        return std::equal(expected.begin(), expected.end(), network_.layers().begin(), same);
    }

    /// Both gradients, as the layer's backward without the bias; the first layer needs that of the weights only.
    void products_backward(Layer& layer, snack::MatrixView<const float> x, snack::MatrixView<const float> dy,
                           std::size_t i) {
        if (i == 0) {
            snack::Host::weight_gradient<float>(ctx_, layer.plan(), x, dy, layer.gradients(), 0);
        } else {
            snack::Host::backward<float>(ctx_, layer.plan(), std::as_const(layer).values(), x, dy, work_.gradient(i),
                                         layer.gradients(), 0);
        }
    }

    void rewire() {
        for (std::size_t i = 0; i < optimizers_.size(); ++i) {
            optimizers_[i].remap(
                ctx_, network_.layers()[i].rewire(ctx_, snack::MagnitudePruner{0.3}, snack::UniformGrower{}));
        }
    }

    Measurements& measurements_;
    int threads_;
    snack::HostContext ctx_;
    Network network_;
    examples::Workspace<snack::HostContext> work_;
    examples::ImageSet<snack::HostContext> images_;
    std::vector<snack::Sgd<float>> optimizers_;
    std::vector<float> losses_;
    double elapsed_ = 0;  ///< seconds of the parts of this step so far
    bool right_ = true;   ///< whether the first step had the example's gradients
    std::vector<Row> rows_;
};

}  // namespace bench
