// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Stochastic gradient descent on the flat arrays of one layer, with momentum, Nesterov's variant
// and weight decay; its state is one array per parameter and follows every rewire.

#include <snack/core/error.hpp>
#include <snack/nn/optimizer_state.hpp>

namespace snack::inline v0 {

struct SgdOptions {
    double learning_rate = 0.1;
    double momentum = 0;
    bool nesterov = false;    ///< a variant of momentum, which it needs
    double weight_decay = 0;  ///< added to the gradient of the connections; the bias is not decayed
};

namespace detail {

template <class T>
struct SgdUpdate {
    T* parameters;
    const T* gradients;
    T* velocity;  // unused without momentum
    T rate;
    T momentum;
    T decay;
};

// One functor for each rule: a test inside would keep the compiler from using vector registers.

template <class T>
struct PlainSgd : SgdUpdate<T> {
    SNACK_HOST_DEVICE void operator()(Size i) const {
        this->parameters[i] -= this->rate * (this->gradients[i] + this->decay * this->parameters[i]);
    }
};

template <class T>
struct MomentumSgd : SgdUpdate<T> {
    SNACK_HOST_DEVICE void operator()(Size i) const {
        const T now = this->momentum * this->velocity[i] + (this->gradients[i] + this->decay * this->parameters[i]);
        this->velocity[i] = now;
        this->parameters[i] -= this->rate * now;
    }
};

template <class T>
struct NesterovSgd : SgdUpdate<T> {
    SNACK_HOST_DEVICE void operator()(Size i) const {
        const T g = this->gradients[i] + this->decay * this->parameters[i];
        const T now = this->momentum * this->velocity[i] + g;
        this->velocity[i] = now;
        this->parameters[i] -= this->rate * (g + this->momentum * now);
    }
};

}  // namespace detail

/// One object per layer, in the memory space of the layer.
///
///   g = gradient + weight_decay w;  v = momentum v + g;  w -= learning_rate (nesterov ? g + momentum v : v)
///
/// Holds v, nnz + out_features elements, only if momentum is not 0.
template <Scalar T, class Space = HostSpace>
class Sgd {
public:
    using options_type = SgdOptions;
    static constexpr const char* name = "sgd";

    /// @throws ArgumentError for a learning rate, decay or momentum that is negative or not a
    ///         number, a momentum of 1 or more, or nesterov without one; UnsupportedError for an inference
    ///         layer, which has no gradients; ArgumentError for a layer that the device of the context does not
    ///         reach
    template <class Context, class Layer>
    Sgd(Context& ctx, const Layer& layer, const SgdOptions& options = {})
        : options_(checked(options)), topology_("Sgd", ctx, layer) {
        if (options.momentum != 0) {
            velocity_ = detail::ParameterState<T, Space>(ctx, layer);
        }
    }

    /// Updates values and bias of the layer from its gradients. O(nnz + out_features), no allocation. A CUDA
    /// graph keeps the learning rate with which the step was recorded.
    /// @throws TopologyError if the layer was rewired since and remap was not called; ArgumentError if it lies
    ///         on another device
    template <class Context, class Layer>
    void step(Context& ctx, Layer& layer) {
        topology_.require_current("Sgd::step", ctx, layer);
        update(ctx, layer.values(), layer.gradients(), velocity_.values, options_.weight_decay);
        update(ctx, layer.bias(), layer.bias_gradients(), velocity_.bias, 0);
        layer.values_changed(ctx);
    }

    /// Follows a rewire: kept connections keep their velocity bit for bit, new ones start at zero.
    /// @throws TopologyError if the report does not start from this state's topology; the state is
    ///         unchanged then
    template <class Context, class Report>
    void remap(Context& ctx, const Report& report) {
        topology_.follow("Sgd::remap", ctx, report, {&velocity_.values});
    }

    double learning_rate() const { return options_.learning_rate; }
    /// @throws ArgumentError as the constructor
    void set_learning_rate(double learning_rate) {
        SgdOptions changed = options_;
        changed.learning_rate = learning_rate;
        options_ = checked(changed);
    }

    /// Momentum of each connection (nnz, or empty), in canonical order.
    SpanIn<T, Space> velocity() { return velocity_.values.span(); }
    Size bytes() const { return velocity_.bytes(); }

    /// Hands the state of an optimiser, const or not, to a visitor, array by array, to be saved or overwritten:
    /// visitor.connections(name, span) for nnz elements in canonical order, visitor.bias(name, span) for out_features.
    /// An array that is not held is empty.
    template <class Self, class Visitor>
    static void visit_state(Self& optimizer, Visitor& visitor) {
        visitor.connections("velocity", optimizer.velocity_.values.span());
        visitor.bias("bias_velocity", optimizer.velocity_.bias.span());
    }

    /// @throws as step if the state is not that of the layer as it is now
    template <class Context, class Layer>
    void require_current(const char* where, const Context& ctx, const Layer& layer) const {
        topology_.require_current(where, ctx, layer);
    }

private:
    static const SgdOptions& checked(const SgdOptions& options) {
        require<ArgumentError>(options.learning_rate >= 0, "Sgd", "learning rate ", options.learning_rate,
                               " is negative or not a number");
        require<ArgumentError>(options.momentum >= 0 && options.momentum < 1, "Sgd", "momentum ", options.momentum,
                               " is not in [0, 1)");
        require<ArgumentError>(!options.nesterov || options.momentum > 0, "Sgd",
                               "nesterov is a variant of momentum, which is 0; one above 0 is wanted");
        require<ArgumentError>(options.weight_decay >= 0, "Sgd", "weight decay ", options.weight_decay,
                               " is negative or not a number");
        return options;
    }

    template <class Context>
    void update(Context& ctx, SpanIn<T, Space> parameters, SpanIn<const T, Space> gradients,
                BufferIn<T, Space>& velocity, double weight_decay) const {
        const detail::SgdUpdate<T> update{.parameters = parameters.data(),
                                          .gradients = gradients.data(),
                                          .velocity = velocity.data(),
                                          .rate = static_cast<T>(options_.learning_rate),
                                          .momentum = static_cast<T>(options_.momentum),
                                          .decay = static_cast<T>(weight_decay)};
        const auto count = static_cast<Size>(parameters.size());
        if (options_.momentum == 0) {
            ctx.for_each_index(count, detail::PlainSgd<T>{update});
        } else if (options_.nesterov) {
            ctx.for_each_index(count, detail::NesterovSgd<T>{update});
        } else {
            ctx.for_each_index(count, detail::MomentumSgd<T>{update});
        }
    }

    SgdOptions options_;
    detail::TopologyFollower topology_;
    detail::ParameterState<T, Space> velocity_;
};

template <class Context, class Layer>
Sgd(Context&, const Layer&) -> Sgd<typename Layer::scalar, typename Context::space>;
template <class Context, class Layer>
Sgd(Context&, const Layer&, const SgdOptions&) -> Sgd<typename Layer::scalar, typename Context::space>;

}  // namespace snack::inline v0
