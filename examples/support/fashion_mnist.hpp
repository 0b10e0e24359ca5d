// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Fashion-MNIST (Xiao et al. 2017), or any set of the same four files: training and test images
// as bytes with labels 0 to 9, and the numbers that standardise a pixel.

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <examples/support/idx_file.hpp>
#include <snack/core/types.hpp>

namespace examples {

using snack::Size;

/// Where Debian's package dataset-fashion-mnist puts the files.
inline constexpr const char* fashion_mnist_directory = "/usr/share/datasets/fashion-mnist";

inline constexpr Size classes = 10;

/// Images one after another, row by row, and their labels.
struct LabelledImages {
    Size count = 0;
    Size pixels = 0;  ///< of one image
    std::vector<std::uint8_t> images;
    std::vector<std::uint8_t> labels;
};

struct FashionMnist {
    LabelledImages train;
    LabelledImages test;
    std::array<float, 256> standardised{};  ///< (pixel - mean) / deviation, over the training images
};

namespace detail {

/// `name` in the directory, or name.gz.
inline std::filesystem::path find_data_file(const std::filesystem::path& directory, const std::string& name) {
    const std::filesystem::path plain = directory / name;
    const std::filesystem::path zipped = directory / (name + ".gz");
    if (!std::filesystem::exists(plain) && !std::filesystem::exists(zipped)) {
        throw DataError(plain, "not found, nor with .gz");
    }
    return std::filesystem::exists(plain) ? plain : zipped;
}

inline LabelledImages load_labelled_images(const std::filesystem::path& directory, const std::string& part) {
    const std::filesystem::path image_path = find_data_file(directory, part + "-images-idx3-ubyte");
    const std::filesystem::path label_path = find_data_file(directory, part + "-labels-idx1-ubyte");
    IdxArray images = read_idx_file(image_path, 3);
    IdxArray labels = read_idx_file(label_path, 1);
    if (images.bytes.empty()) {
        throw DataError(image_path, "holds no pixels");
    }
    if (labels.extents[0] != images.extents[0]) {
        throw DataError(label_path, std::to_string(labels.extents[0]) + " labels for " +
                                        std::to_string(images.extents[0]) + " images");
    }
    for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
        if (labels.bytes[i] >= classes) {
            throw DataError(label_path, "label " + std::to_string(labels.bytes[i]) + " at position " +
                                            std::to_string(i) + ", wanted 0 to 9");
        }
    }
    return {static_cast<Size>(images.extents[0]), static_cast<Size>(images.extents[1] * images.extents[2]),
            std::move(images.bytes), std::move(labels.bytes)};
}

/// From exact counts of each pixel value, so the order of summation does not matter.
inline std::array<float, 256> standardise_pixels(const std::vector<std::uint8_t>& images) {
    std::array<double, 256> counts{};
    for (const std::uint8_t pixel : images) {
        ++counts[pixel];
    }
    double sum = 0;
    double squares = 0;
    for (std::size_t pixel = 0; pixel < counts.size(); ++pixel) {
        const auto value = static_cast<double>(pixel);
        sum += counts[pixel] * value;
        squares += counts[pixel] * value * value;
    }
    const auto total = static_cast<double>(images.size());
    const double mean = sum / total;
    const double variance = squares / total - mean * mean;
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 1;
    std::array<float, 256> standardised{};
    for (std::size_t pixel = 0; pixel < counts.size(); ++pixel) {
        standardised[pixel] = static_cast<float>((static_cast<double>(pixel) - mean) * scale);
    }
    return standardised;
}

}  // namespace detail

/// Loads train-images-idx3-ubyte, train-labels-idx1-ubyte and the same of t10k, each plain or .gz.
/// @throws DataError naming the file that is missing, damaged, or at odds with the others
inline FashionMnist load_fashion_mnist(const std::filesystem::path& directory) {
    if (directory == fashion_mnist_directory && !std::filesystem::exists(directory)) {
        throw DataError(directory,
                        "not found; run `apt-get install dataset-fashion-mnist` or name a folder with --data");
    }
    FashionMnist data{
        detail::load_labelled_images(directory, "train"), detail::load_labelled_images(directory, "t10k"), {}};
    if (data.test.pixels != data.train.pixels) {
        throw DataError(directory, "test images of " + std::to_string(data.test.pixels) +
                                       " pixels, training images of " + std::to_string(data.train.pixels));
    }
    data.standardised = detail::standardise_pixels(data.train.images);
    return data;
}

}  // namespace examples
