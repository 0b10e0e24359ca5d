// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) on the flat arrays of one
// layer. Moments live on the connections only and follow every rewire; the step count is global.

#include <span>

#include <snack/core/error.hpp>
#include <snack/core/math.hpp>
#include <snack/nn/optimizer_state.hpp>

namespace snack::inline v0 {

struct AdamOptions {
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;    ///< above 0 in the layer's scalar, or a zero gradient would divide 0 by 0
    double weight_decay = 0;  ///< of the connections; the bias is not decayed
    bool decoupled = true;    ///< decay the weights themselves (AdamW) instead of adding to the gradient
};

namespace detail {

template <class T>
struct AdamUpdate {
    T* parameters;
    const T* gradients;
    T* first;
    T* second;
    T beta1;
    T beta2;
    T fresh1;  // exact where 1 - beta1 in T is not
    T fresh2;
    T rate;
    T scale;
    T epsilon;
    T coupled;  // weight decay that joins the gradient
    T kept;     // what decoupled weight decay leaves of a parameter

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const T g = gradients[i] + coupled * parameters[i];
        first[i] = beta1 * first[i] + fresh1 * g;
        second[i] = beta2 * second[i] + fresh2 * g * g;
        parameters[i] = kept * parameters[i] - rate * first[i] / (math::sqrt(second[i]) * scale + epsilon);
    }
};

}  // namespace detail

/// One object per layer, in the memory space of the layer. Holds two moments, 2 (nnz + out_features) elements.
///
///   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   w -= learning_rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
template <Scalar T, class Space = HostSpace>
class Adam {
public:
    using options_type = AdamOptions;
    static constexpr const char* name = "adam";

    /// @throws ArgumentError for an option that is negative or not a number, or a beta of 1 or more;
    ///         UnsupportedError for an inference layer, which has no gradients; ArgumentError for a layer that
    ///         the device of the context does not reach
    template <class Context, class Layer>
    Adam(Context& ctx, const Layer& layer, const AdamOptions& options = {})
        : options_(checked(options)), topology_("Adam", ctx, layer), first_(ctx, layer), second_(ctx, layer) {}

    /// Updates values and bias of the layer from its gradients. O(nnz + out_features), no allocation. Not for a
    /// CUDA graph: the powers of beta are the host's, and a replay would repeat those of its recording.
    /// @throws TopologyError if the layer was rewired since and remap was not called; ArgumentError if it lies
    ///         on another device
    template <class Context, class Layer>
    void step(Context& ctx, Layer& layer) {
        topology_.require_current("Adam::step", ctx, layer);
        beta_powers_[0] *= options_.beta1;
        beta_powers_[1] *= options_.beta2;
        update(ctx, layer.values(), layer.gradients(), first_.values, second_.values, options_.weight_decay);
        update(ctx, layer.bias(), layer.bias_gradients(), first_.bias, second_.bias, 0);
        layer.values_changed(ctx);
    }

    /// Follows a rewire: kept connections keep both moments bit for bit, new ones start at zero.
    /// @throws TopologyError if the report does not start from this state's topology; the state is
    ///         unchanged then
    template <class Context, class Report>
    void remap(Context& ctx, const Report& report) {
        topology_.follow("Adam::remap", ctx, report, {&first_.values, &second_.values});
    }

    double learning_rate() const { return options_.learning_rate; }
    /// @throws ArgumentError as the constructor
    void set_learning_rate(double learning_rate) {
        AdamOptions changed = options_;
        changed.learning_rate = learning_rate;
        options_ = checked(changed);
    }

    /// Moments of each connection (nnz), in canonical order.
    SpanIn<T, Space> first_moment() { return first_.values.span(); }
    SpanIn<T, Space> second_moment() { return second_.values.span(); }
    Size bytes() const { return first_.bytes() + second_.bytes(); }

    /// As of Sgd; besides, visitor.numbers(name, span, least, most) for numbers of the optimiser as a whole, on the
    /// host, and what they may be.
    template <class Self, class Visitor>
    static void visit_state(Self& optimizer, Visitor& visitor) {
        visitor.connections("first_moment", optimizer.first_.values.span());
        visitor.connections("second_moment", optimizer.second_.values.span());
        visitor.bias("bias_first_moment", optimizer.first_.bias.span());
        visitor.bias("bias_second_moment", optimizer.second_.bias.span());
        visitor.numbers("beta_powers", std::span(optimizer.beta_powers_), 0, 1);
    }

    /// @throws as step if the state is not that of the layer as it is now
    template <class Context, class Layer>
    void require_current(const char* where, const Context& ctx, const Layer& layer) const {
        topology_.require_current(where, ctx, layer);
    }

private:
    static const AdamOptions& checked(const AdamOptions& options) {
        require<ArgumentError>(options.learning_rate >= 0, "Adam", "learning rate ", options.learning_rate,
                               " is negative or not a number");
        require<ArgumentError>(options.beta1 >= 0 && options.beta1 < 1, "Adam", "beta1 ", options.beta1,
                               " is not in [0, 1)");
        require<ArgumentError>(options.beta2 >= 0 && options.beta2 < 1, "Adam", "beta2 ", options.beta2,
                               " is not in [0, 1)");
        require<ArgumentError>(static_cast<T>(options.epsilon) > 0, "Adam", "epsilon ", options.epsilon,
                               " is not positive in this type");
        require<ArgumentError>(options.weight_decay >= 0, "Adam", "weight decay ", options.weight_decay,
                               " is negative or not a number");
        return options;
    }

    template <class Context>
    void update(Context& ctx, SpanIn<T, Space> parameters, SpanIn<const T, Space> gradients, BufferIn<T, Space>& first,
                BufferIn<T, Space>& second, double weight_decay) const {
        const double kept = options_.decoupled ? 1 - options_.learning_rate * weight_decay : 1;
        ctx.for_each_index(static_cast<Size>(parameters.size()),
                           detail::AdamUpdate<T>{.parameters = parameters.data(),
                                                 .gradients = gradients.data(),
                                                 .first = first.data(),
                                                 .second = second.data(),
                                                 .beta1 = static_cast<T>(options_.beta1),
                                                 .beta2 = static_cast<T>(options_.beta2),
                                                 .fresh1 = static_cast<T>(1 - options_.beta1),
                                                 .fresh2 = static_cast<T>(1 - options_.beta2),
                                                 .rate = static_cast<T>(options_.learning_rate / (1 - beta_powers_[0])),
                                                 .scale = static_cast<T>(1 / math::sqrt(1 - beta_powers_[1])),
                                                 .epsilon = static_cast<T>(options_.epsilon),
                                                 .coupled = options_.decoupled ? T{0} : static_cast<T>(weight_decay),
                                                 .kept = static_cast<T>(kept)});
    }

    AdamOptions options_;
    detail::TopologyFollower topology_;
    detail::ParameterState<T, Space> first_;
    detail::ParameterState<T, Space> second_;
    double beta_powers_[2] = {1, 1};  // beta1^t and beta2^t
};

template <class Context, class Layer>
Adam(Context&, const Layer&) -> Adam<typename Layer::scalar, typename Context::space>;
template <class Context, class Layer>
Adam(Context&, const Layer&, const AdamOptions&) -> Adam<typename Layer::scalar, typename Context::space>;

}  // namespace snack::inline v0
