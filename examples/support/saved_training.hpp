// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Training that stops and goes on: the network, the state of its optimisers, the options and the last epoch in one
// safetensors file. Random numbers need no place in it: they are drawn by seed, layer, epoch and number of rewires.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <examples/support/fashion_mnist.hpp>
#include <examples/support/train_options.hpp>
#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>

namespace examples {

namespace detail {

inline constexpr const char* settings_prefix = "02_train.";

inline std::string layer_name(std::size_t number) {
    return "layers." + std::to_string(number);
}

}  // namespace detail

/// Writes a file that replaces the old one when it is complete.
template <class Context, class Network, class Optimizer>
void save_training(Context& ctx, const TrainOptions& options, Size epoch, const Network& network,
                   const std::vector<Optimizer>& optimizers) {
    snack::io::LayerFileWriter file;
    std::map<std::string, std::string> settings = settings_of(options);
    settings["epoch"] = std::to_string(epoch);
    for (const auto& [name, value] : settings) {
        file.tensors().set_metadata(detail::settings_prefix + name, value);
    }
    for (std::size_t i = 0; i < optimizers.size(); ++i) {
        file.add(ctx, detail::layer_name(i), network.layers()[i], optimizers[i]);
    }
    file.write(options.save);
}

/// What such a file holds.
class SavedTraining {
public:
    /// @throws DataError if it is no file of save_training; snack::Error if it is damaged
    explicit SavedTraining(const TrainOptions& given) : file_(given.load) {
        std::map<std::string, std::string> settings;
        const std::string prefix = detail::settings_prefix;
        for (const auto& [name, value] : file_.tensors().metadata()) {
            if (name.starts_with(prefix)) {
                settings[name.substr(prefix.size())] = value;
            }
        }
        if (settings.empty()) {
            throw DataError(given.load, "not saved by 02_train: it has layers perhaps, but no options and no epoch");
        }
        try {
            options_ = with_settings(given, settings);
        } catch (const UsageError& error) {
            throw DataError(given.load, std::string("not saved by 02_train: ") + error.what());
        }
        const auto epoch = detail::parse_number<Size>(settings["epoch"]);
        if (!epoch || *epoch < 1 || *epoch > 1000000) {
            throw DataError(given.load, "not saved by 02_train: '" + settings["epoch"] + "' is no epoch");
        }
        epoch_ = *epoch;
    }

    /// Those of the saved run, and the rest as they were given.
    const TrainOptions& options() const { return options_; }
    /// The last one that was trained.
    Size epoch() const { return epoch_; }

    /// @throws DataError if a layer has not the widths; snack::Error if it is damaged
    template <class Layer>
    std::vector<Layer> layers(typename Layer::context_type& ctx, const std::vector<Size>& widths) const {
        std::vector<Layer> layers;
        for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
            layers.push_back(file_.layer<Layer>(ctx, detail::layer_name(i)));
            const Layer& layer = layers.back();
            if (layer.in_features() != widths[i] || layer.out_features() != widths[i + 1]) {
                throw DataError(options_.load, detail::layer_name(i) + " is " + std::to_string(layer.in_features()) +
                                                   " to " + std::to_string(layer.out_features()) + " features, " +
                                                   std::to_string(widths[i]) + " to " + std::to_string(widths[i + 1]) +
                                                   " are wanted");
            }
        }
        return layers;
    }

    /// The optimiser of layer number `number`.
    template <class Optimizer, class Context, class Layer, class Options>
    Optimizer optimizer(Context& ctx, std::size_t number, const Layer& layer, const Options& options) const {
        return file_.optimizer<Optimizer>(ctx, detail::layer_name(number), layer, options);
    }

private:
    snack::io::LayerFile file_;
    TrainOptions options_;
    Size epoch_ = 0;
};

}  // namespace examples
