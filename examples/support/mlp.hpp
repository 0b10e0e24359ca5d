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
#include <snack/core/matrix_view.hpp>
#include <snack/nn/sparse_linear.hpp>

namespace examples {

/// Input, outputs and gradients of up to `capacity` samples. Lines are padded to whole cache lines.
template <class Context>
class Workspace {
public:
    using View = snack::MatrixView<float, typename Context::space>;

    /// @param widths  features of the input and of each layer's output
    Workspace(Context& ctx, std::span<const Size> widths, Size capacity)
        : widths_(widths.begin(), widths.end()),
          capacity_(capacity),
          stride_(capacity < line ? capacity : (capacity + line - 1) / line * line) {
        Size widest = 0;
        for (const Size width : widths) {
            widest = width > widest ? width : widest;
            activations_.push_back(zeros(ctx, width * stride_));
        }
        for (Buffer& gradient : gradients_) {
            gradient = zeros(ctx, widest * stride_);
        }
    }

    Size capacity() const { return capacity_; }

    /// Says how many samples the views hold from now on, at most the capacity.
    void set_batch(Size batch) { batch_ = batch; }

    /// (batch, widths[depth]): the input at depth 0, the output of layer depth - 1 after it.
    View activation(std::size_t depth) { return view(activations_[depth], depth); }

    /// The gradient of activation(depth). Two arrays take turns, so it lives until depth - 2 is written.
    View gradient(std::size_t depth) { return view(gradients_[depth % 2], depth); }

    View input() { return activation(0); }
    View logits() { return activation(widths_.size() - 1); }
    View logit_gradient() { return gradient(widths_.size() - 1); }

private:
    using Buffer = typename Context::template buffer<float>;
    static constexpr Size line = 16;  // floats in 64 bytes

    static Buffer zeros(Context& ctx, Size count) {
        Buffer buffer = ctx.template allocate<float>(count);
        ctx.fill(buffer.span(), 0.0f);
        return buffer;
    }

    View view(Buffer& buffer, std::size_t depth) const {
        return {buffer.data(), batch_, widths_[depth], snack::Layout::column_major, stride_};
    }

    std::vector<Size> widths_;
    Size capacity_;
    Size stride_;
    Size batch_ = 0;
    std::vector<Buffer> activations_;
    Buffer gradients_[2];
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

    /// From layers that exist; each takes what the one before it gives.
    explicit Mlp(std::vector<Layer> layers) : layers_(std::move(layers)) {}

    /// From input() to logits() of the workspace.
    void forward(Context& ctx, Workspace<Context>& work) const {
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const bool hidden = i + 1 < layers_.size();
            layers_[i].forward(ctx, work.activation(i), work.activation(i + 1),
                               hidden ? snack::Activation::relu : snack::Activation::none);
        }
    }

    /// From logit_gradient() to the gradients of all layers, which are overwritten.
    /// @pre forward has run on this workspace
    void backward(Context& ctx, Workspace<Context>& work) {
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
