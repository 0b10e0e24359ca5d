// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A multi-layer perceptron of sparse layers with rectifiers between them, and the arrays one
// batch passes through. Activations are column-major, `features x batch` as in the paper
// (section 3.1): the layout in which the host kernels are fastest.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <examples/support/relu_backward.hpp>
#include <snack/memory/buffer.hpp>
#include <snack/nn/sparse_linear.hpp>

namespace examples {

/// Input, outputs and gradients of up to `capacity` samples. Lines are padded to whole cache lines.
class Workspace {
public:
    /// @param widths  features of the input and of each layer's output
    Workspace(std::span<const Size> widths, Size capacity)
        : widths_(widths.begin(), widths.end()),
          capacity_(capacity),
          stride_(capacity < line ? capacity : (capacity + line - 1) / line * line) {
        Size widest = 0;
        for (const Size width : widths) {
            widest = width > widest ? width : widest;
            activations_.emplace_back(width * stride_, 0.0f, nullptr);
        }
        for (snack::Buffer<float>& gradient : gradients_) {
            gradient = snack::Buffer<float>(widest * stride_, 0.0f, nullptr);
        }
    }

    Size capacity() const { return capacity_; }

    /// Says how many samples the views hold from now on, at most the capacity.
    void set_batch(Size batch) { batch_ = batch; }

    /// (batch, widths[depth]): the input at depth 0, the output of layer depth - 1 after it.
    snack::MatrixView<float> activation(std::size_t depth) { return view(activations_[depth], depth); }

    /// The gradient of activation(depth). Two arrays take turns, so it lives until depth - 2 is written.
    snack::MatrixView<float> gradient(std::size_t depth) { return view(gradients_[depth % 2], depth); }

    snack::MatrixView<float> input() { return activation(0); }
    snack::MatrixView<float> logits() { return activation(widths_.size() - 1); }
    snack::MatrixView<float> logit_gradient() { return gradient(widths_.size() - 1); }

private:
    static constexpr Size line = 16;  // floats in 64 bytes

    snack::MatrixView<float> view(snack::Buffer<float>& buffer, std::size_t depth) const {
        return {buffer.data(), batch_, widths_[depth], snack::Layout::column_major, stride_};
    }

    std::vector<Size> widths_;
    Size capacity_;
    Size stride_;
    Size batch_ = 0;
    std::vector<snack::Buffer<float>> activations_;
    snack::Buffer<float> gradients_[2];
};

template <class Backend>
class Mlp {
public:
    using Layer = snack::SparseLinear<Backend, float>;
    using Context = typename Layer::context_type;

    /// @param widths   features of the input and of each layer's output
    /// @param entries  connections of each layer
    Mlp(Context& ctx, std::span<const Size> widths, std::span<const Size> entries, std::uint64_t seed) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            snack::LayerOptions options;
            options.in_features = widths[i];
            options.out_features = widths[i + 1];
            options.nnz = entries[i];
            options.seed = seed;
            options.stream = static_cast<std::uint32_t>(i);
            layers_.emplace_back(ctx, options, snack::KaimingNormal{});
        }
    }

    /// From input() to logits() of the workspace.
    void forward(Context& ctx, Workspace& work) const {
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const bool hidden = i + 1 < layers_.size();
            layers_[i].forward(ctx, work.activation(i), work.activation(i + 1),
                               hidden ? snack::Activation::relu : snack::Activation::none);
        }
    }

    /// From logit_gradient() to the gradients of all layers, which are overwritten.
    /// @pre forward has run on this workspace
    void backward(Context& ctx, Workspace& work) {
        for (std::size_t i = layers_.size() - 1; i > 0; --i) {
            layers_[i].backward(ctx, work.activation(i), work.gradient(i + 1), work.gradient(i));
            relu_backward(ctx, work.activation(i), work.gradient(i));
        }
        layers_[0].backward(ctx, work.activation(0), work.gradient(1));
    }

    std::vector<Layer>& layers() { return layers_; }
    const std::vector<Layer>& layers() const { return layers_; }

private:
    std::vector<Layer> layers_;
};

}  // namespace examples
