// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A trained network of two dense layers from a safetensors file, fc1 and fc2 with a rectifier between them, as the
// examples of ggml have it for MNIST; and what is known about it when its first layer is pruned.

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <examples/support/fashion_mnist.hpp>
#include <examples/support/mlp.hpp>
#include <snack/io/sparsify.hpp>
#include <snack/io/tensor_rows.hpp>

namespace examples {

/// A sparsity of fc1, and the share of the 10,000 test images, in per cent, that is published for it.
struct PublishedAccuracy {
    double sparsity;
    double bytes;   ///< pixels as 0 to 255
    double shares;  ///< pixels divided by 255; 0: not published
};
inline constexpr std::array published_accuracies = {
    PublishedAccuracy{0, 98.31, 0},        PublishedAccuracy{0.80, 97.57, 97.72},
    PublishedAccuracy{0.90, 94.83, 94.78}, PublishedAccuracy{0.95, 84.48, 83.93},
    PublishedAccuracy{0.98, 60.63, 59.99}, PublishedAccuracy{0.99, 42.55, 42.88}};

/// `name` in the folder or in its folder `part`, gzipped or not.
inline std::filesystem::path find_in_parts(const std::filesystem::path& folder, const std::string& part,
                                           const std::string& name) {
    for (const std::filesystem::path& place : {folder, folder / part}) {
        if (std::filesystem::exists(place / name) || std::filesystem::exists(place / (name + ".gz"))) {
            return place;
        }
    }
    throw DataError(folder, "holds no " + name + ", nor does its folder " + part);
}

class MnistFc {
public:
    static constexpr const char* file_name = "mnist_fc_784x500x10.safetensors";

    /// @throws DataError if the file is missing or its tensors are no such network; snack::Error if it is damaged
    explicit MnistFc(const std::filesystem::path& folder)
        : file_((find_in_parts(folder, "mnist-fc", file_name) / file_name).string()),
          first_bias_(bias("fc1")),
          second_bias_(bias("fc2")) {
        const auto first = rows("fc1");
        const auto second = rows("fc2");
        if (second.columns() != first.rows() || second.rows() != classes) {
            throw DataError(file_.name(), "fc2.weight is " + std::to_string(second.rows()) + " x " +
                                              std::to_string(second.columns()) + ", wanted 10 x " +
                                              std::to_string(first.rows()));
        }
    }

    /// Features of the input and of each layer's output.
    std::vector<Size> widths() const { return {rows("fc1").columns(), rows("fc1").rows(), classes}; }

    /// fc1 pruned by magnitude over the whole layer, fc2 and both biases as they are.
    template <class Backend>
    Mlp<Backend> pruned(typename Mlp<Backend>::Context& ctx, double sparsity, snack::PlanUse use) const {
        using Layer = typename Mlp<Backend>::Layer;
        const auto first = snack::io::sparsify<float>(rows("fc1"), snack::io::LargestMagnitudes{sparsity});
        const auto second = snack::io::sparsify<float>(rows("fc2"), snack::io::LargestMagnitudes{0});
        snack::MatrixLayerOptions options;
        options.use = use;
        std::vector<Layer> layers;
        layers.emplace_back(ctx, first, first_bias_, options);
        options.stream = 1;
        layers.emplace_back(ctx, second, second_bias_, options);
        return Mlp<Backend>(std::move(layers));
    }

private:
    snack::io::TensorRows rows(const std::string& layer) const { return {file_, file_.at(layer + ".weight")}; }

    /// A number for each row of the layer's weight.
    std::vector<float> bias(const std::string& layer) const {
        const snack::io::TensorInfo& tensor = file_.at(layer + ".bias");
        if (tensor.shape != std::vector<Size>{rows(layer).rows()}) {
            throw DataError(file_.name(), layer + ".bias has " + std::to_string(tensor.elements) +
                                              " elements, wanted " + std::to_string(rows(layer).rows()));
        }
        std::vector<float> elements(static_cast<std::size_t>(tensor.elements));
        file_.read(tensor, 0, std::span(elements));
        return elements;
    }

    snack::io::Safetensors file_;
    std::vector<float> first_bias_;
    std::vector<float> second_bias_;
};

}  // namespace examples
