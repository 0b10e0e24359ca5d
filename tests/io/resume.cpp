// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Training that is saved, loaded and gone on with gives the bits of training that never stopped, across rewires.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::HostLayer;
using tests::ReferenceLayer;

namespace {

constexpr Size batch = 5;

/// A stack of layers with relu between them, and one optimiser for each.
template <class Layer, class Optimizer>
struct Training {
    using T = typename Layer::scalar;

    HostContext ctx{HostContext::Options{.threads = 2}};
    std::vector<Layer> layers;
    std::vector<Optimizer> optimizers;

    /// One step on numbers that depend on the step alone; every third step rewires.
    void step(int number) {
        std::vector<std::vector<T>> activations{numbers(batch * layers[0].in_features(), number)};
        for (Layer& layer : layers) {
            activations.emplace_back(static_cast<std::size_t>(batch * layer.out_features()));
            const auto& x = activations[activations.size() - 2];
            layer.forward(ctx, {x.data(), batch, layer.in_features()},
                          {activations.back().data(), batch, layer.out_features()}, Activation::relu);
        }
        std::vector<T> gradient = numbers(batch * layers.back().out_features(), number + 1000);
        for (std::size_t i = layers.size(); i-- > 0;) {
            Layer& layer = layers[i];
            std::vector<T> next(static_cast<std::size_t>(batch * layer.in_features()));
            layer.backward(ctx, {activations[i].data(), batch, layer.in_features()},
                           {gradient.data(), batch, layer.out_features()}, {next.data(), batch, layer.in_features()});
            gradient = next;
        }
        for (std::size_t i = 0; i < layers.size(); ++i) {
            optimizers[i].set_learning_rate(0.1 / (1 + number));
            optimizers[i].step(ctx, layers[i]);
            if (number % 3 == 2) {
                optimizers[i].remap(ctx, layers[i].rewire(ctx, MagnitudePruner{0.3}, UniformGrower{}));
            }
        }
    }

    void save(const std::string& path) {
        io::LayerFileWriter file;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            file.add(ctx, "layers." + std::to_string(i), layers[i], optimizers[i]);
        }
        file.write(path);
    }

private:
    static std::vector<T> numbers(Size count, int seed) {
        std::vector<T> numbers(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = static_cast<T>(static_cast<int>(i * 37 + static_cast<std::size_t>(seed) * 11) % 29 - 14) / 8;
        }
        return numbers;
    }
};

template <class Layer, class Optimizer, class Options>
std::unique_ptr<Training<Layer, Optimizer>> begin(const std::vector<Size>& widths, const Options& options) {
    auto training = std::make_unique<Training<Layer, Optimizer>>();
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        training->layers.emplace_back(training->ctx, LayerOptions{.in_features = widths[i],
                                                                  .out_features = widths[i + 1],
                                                                  .sparsity = 0.7,
                                                                  .seed = 11,
                                                                  .stream = static_cast<std::uint32_t>(i)});
    }
    for (const Layer& layer : training->layers) {
        training->optimizers.emplace_back(training->ctx, layer, options);
    }
    return training;
}

template <class Layer, class Optimizer, class Options>
std::unique_ptr<Training<Layer, Optimizer>> load(const std::string& path, std::size_t layers, const Options& options) {
    const io::LayerFile file(path);
    auto training = std::make_unique<Training<Layer, Optimizer>>();
    for (std::size_t i = 0; i < layers; ++i) {
        training->layers.push_back(file.layer<Layer>(training->ctx, "layers." + std::to_string(i)));
    }
    for (std::size_t i = 0; i < layers; ++i) {
        training->optimizers.push_back(
            file.optimizer<Optimizer>(training->ctx, "layers." + std::to_string(i), training->layers[i], options));
    }
    return training;
}

/// Trains ten steps without a stop, and again with a stop after every step but the last.
template <class Layer, class Optimizer, class Options>
void require_exact_resume(const std::vector<Size>& widths, const Options& options) {
    const tests::ScratchFolder folder;
    const auto whole = begin<Layer, Optimizer>(widths, options);
    for (int step = 0; step < 10; ++step) {
        whole->step(step);
    }
    whole->save(folder.file("whole"));
    const std::string wanted = tests::read_file(folder.file("whole"));
    REQUIRE(whole->layers[0].rewire_count() == 3);

    for (int stop = 0; stop <= 9; ++stop) {
        CAPTURE(stop, widths.size());
        auto training = begin<Layer, Optimizer>(widths, options);
        for (int step = 0; step < 10; ++step) {
            if (step == stop) {
                training->save(folder.file("part"));
                training = load<Layer, Optimizer>(folder.file("part"), widths.size() - 1, options);
            }
            training->step(step);
        }
        training->save(folder.file("part"));
        REQUIRE(tests::read_file(folder.file("part")) == wanted);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("training with momentum resumes exactly", "[io]", HostLayer, ReferenceLayer) {
    using Optimizer = Sgd<typename TestType::scalar>;
    const SgdOptions momentum{.momentum = 0.9, .weight_decay = 1e-3};
    const SgdOptions nesterov{.momentum = 0.8, .nesterov = true};
    require_exact_resume<TestType, Optimizer>({12, 9}, momentum);
    require_exact_resume<TestType, Optimizer>({12, 20, 15, 4}, momentum);
    require_exact_resume<TestType, Optimizer>({12, 20, 4}, nesterov);
    require_exact_resume<TestType, Optimizer>({12, 20, 4}, SgdOptions{});
}

TEMPLATE_TEST_CASE("training with Adam resumes exactly", "[io]", HostLayer, ReferenceLayer) {
    using Optimizer = Adam<typename TestType::scalar>;
    require_exact_resume<TestType, Optimizer>({12, 9}, AdamOptions{});
    require_exact_resume<TestType, Optimizer>({12, 20, 15, 4}, AdamOptions{.weight_decay = 1e-2});
    require_exact_resume<TestType, Optimizer>({12, 20, 4}, AdamOptions{.weight_decay = 1e-2, .decoupled = false});
}
