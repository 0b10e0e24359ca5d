// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The layers that tests of optimisers and rewires run on, and ways to look at them.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <snack/backends/host.hpp>
#include <snack/backends/reference.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/nn/sparse_linear.hpp>

namespace tests {

using ReferenceLayer = snack::SparseLinear<snack::Reference, double>;
using HostLayer = snack::SparseLinear<snack::Host, float>;

/// The elements of an array of parameters.
template <class T>
std::vector<std::remove_const_t<T>> copy_of(std::span<T> array) {
    return {array.begin(), array.end()};
}

/// Their bits: NaN equals itself and zeros of different sign differ.
template <class T>
std::vector<std::uint64_t> bits_of(std::span<T> array) {
    std::vector<std::uint64_t> bits;
    for (const T element : array) {
        bits.push_back(std::bit_cast<std::uint64_t>(double{element}));
    }
    return bits;
}

/// The cell of each entry, in canonical order.
template <class Layer>
std::vector<snack::Size> cells_of_layer(const Layer& layer) {
    std::vector<snack::Size> cells;
    for_each_entry(*layer.topology(), [&](snack::Size, snack::Index row, snack::Index column) {
        cells.push_back(snack::cell_index(row, column, layer.in_features()));
    });
    return cells;
}

/// The values of a layer in memory of their own, to make a matrix from.
template <class Layer>
snack::Buffer<typename Layer::scalar> values_buffer(const Layer& layer) {
    snack::Buffer<typename Layer::scalar> buffer(layer.nnz());
    std::copy(layer.values().begin(), layer.values().end(), buffer.begin());
    return buffer;
}

/// Writes a small integer that depends on cell and round into each element of an array.
template <class Layer, class T>
void write_tags(const Layer& layer, std::span<T> array, snack::Size round) {
    const std::vector<snack::Size> cells = cells_of_layer(layer);
    for (std::size_t e = 0; e < cells.size(); ++e) {
        array[e] = static_cast<T>((cells[e] * 7 + round * 13) % 10007 + 1);
    }
}

/// y for x = 1, 2, 3, ...
template <class Layer>
std::vector<typename Layer::scalar> response(const Layer& layer) {
    using T = typename Layer::scalar;
    typename Layer::context_type ctx({.threads = 1});
    std::vector<T> x;
    for (snack::Size j = 1; j <= layer.in_features(); ++j) {
        x.push_back(static_cast<T>(j));
    }
    std::vector<T> y(static_cast<std::size_t>(layer.out_features()));
    layer.forward(ctx, {x.data(), 1, layer.in_features()}, {y.data(), 1, layer.out_features()});
    return y;
}

/// Sets the gradients of weights and bias to gradient_at(parameter, step); biases count from 1000.
template <class Layer, class Gradient>
void set_gradients(Layer& layer, int step, Gradient gradient_at) {
    using T = typename Layer::scalar;
    for (std::size_t i = 0; i < layer.gradients().size(); ++i) {
        layer.gradients()[i] = static_cast<T>(gradient_at(i, step));
    }
    for (std::size_t i = 0; i < layer.bias_gradients().size(); ++i) {
        layer.bias_gradients()[i] = static_cast<T>(gradient_at(i + 1000, step));
    }
}

/// A layer whose weight and bias number i is i - 3.
template <class Layer>
Layer small_layer(snack::HostContext& ctx) {
    using T = typename Layer::scalar;
    Layer layer(ctx, {.in_features = 6, .out_features = 4, .nnz = 11, .seed = 1},
                [](const snack::RandomKey&, const snack::Connection& at) { return static_cast<double>(at.entry - 3); });
    for (std::size_t i = 0; i < 4; ++i) {
        layer.bias()[i] = static_cast<T>(i) - 3;
    }
    return layer;
}

}  // namespace tests
