// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Stochastic gradient descent on the flat arrays of one layer, with momentum, Nesterov's variant
// and weight decay; its state is one array per parameter and follows every rewire.

#include <span>

#include <snack/core/error.hpp>
#include <snack/nn/optimizer_state.hpp>

namespace snack::inline v0 {

struct SgdOptions {
    double learning_rate = 0.1;
    double momentum = 0;
    bool nesterov = false;
    double weight_decay = 0;  ///< added to the gradient of the connections; the bias is not decayed
};

/// One object per layer.
///
///   g = gradient + weight_decay w;  v = momentum v + g;  w -= learning_rate (nesterov ? g + momentum v : v)
///
/// Holds v, nnz + out_features elements, only if momentum is not 0.
template <Scalar T>
class Sgd {
public:
    /// @throws ArgumentError for a learning rate, decay or momentum that is negative or not a
    ///         number, or a momentum of 1 or more; UnsupportedError for an inference layer, which has no
    ///         gradients
    template <class Context, class Layer>
    Sgd(Context& ctx, const Layer& layer, const SgdOptions& options = {})
        : options_(checked(options)), topology_("Sgd", layer) {
        if (options.momentum != 0) {
            velocity_ = detail::ParameterState<T>(ctx, layer);
        }
    }

    /// Updates values and bias of the layer from its gradients. O(nnz + out_features), no allocation.
    /// @throws TopologyError if the layer was rewired since and remap was not called
    template <class Context, class Layer>
    void step(Context& ctx, Layer& layer) {
        topology_.require_current("Sgd::step", layer);
        update(ctx, layer.values(), layer.gradients(), velocity_.values, options_.weight_decay);
        update(ctx, layer.bias(), layer.bias_gradients(), velocity_.bias, 0);
        layer.values_changed(ctx);
    }

    /// Follows a rewire: kept connections keep their velocity bit for bit, new ones start at zero.
    /// @throws TopologyError if the report does not start from this state's topology; the state is
    ///         unchanged then
    template <class Context>
    void remap(Context&, const RewireReport& report) {
        topology_.follow<T>("Sgd::remap", report, {&velocity_.values});
    }

    double learning_rate() const { return options_.learning_rate; }
    /// @throws ArgumentError as the constructor
    void set_learning_rate(double learning_rate) {
        SgdOptions changed = options_;
        changed.learning_rate = learning_rate;
        options_ = checked(changed);
    }

    /// Momentum of each connection (nnz, or empty), in canonical order.
    std::span<T> velocity() { return velocity_.values.span(); }
    Size bytes() const { return velocity_.bytes(); }

private:
    static const SgdOptions& checked(const SgdOptions& options) {
        require<ArgumentError>(options.learning_rate >= 0, "Sgd", "learning rate ", options.learning_rate,
                               " is negative or not a number");
        require<ArgumentError>(options.momentum >= 0 && options.momentum < 1, "Sgd", "momentum ", options.momentum,
                               " is not in [0, 1)");
        require<ArgumentError>(options.weight_decay >= 0, "Sgd", "weight decay ", options.weight_decay,
                               " is negative or not a number");
        return options;
    }

    template <class Context>
    void update(Context& ctx, std::span<T> parameters, std::span<const T> gradients, Buffer<T>& velocity,
                double weight_decay) const {
        const T rate = static_cast<T>(options_.learning_rate);
        const T momentum = static_cast<T>(options_.momentum);
        const T decay = static_cast<T>(weight_decay);
        T* const w = parameters.data();
        const T* const gradient = gradients.data();
        T* const v = velocity.data();
        // One loop for each rule: a test inside would keep the compiler from using vector registers.
        const auto plain = [=](Size i) { w[i] -= rate * (gradient[i] + decay * w[i]); };
        const auto with_momentum = [=](Size i) {
            const T now = momentum * v[i] + (gradient[i] + decay * w[i]);
            v[i] = now;
            w[i] -= rate * now;
        };
        const auto with_nesterov = [=](Size i) {
            const T g = gradient[i] + decay * w[i];
            const T now = momentum * v[i] + g;
            v[i] = now;
            w[i] -= rate * (g + momentum * now);
        };
        const auto update_each = [&](const auto& rule) {
            ctx.parallel_ranges(static_cast<Size>(parameters.size()), detail::optimizer_grain,
                                [=](Size begin, Size end) {
                                    for (Size i = begin; i < end; ++i) {
                                        rule(i);
                                    }
                                });
        };
        if (options_.momentum == 0) {
            update_each(plain);
        } else if (options_.nesterov) {
            update_each(with_nesterov);
        } else {
            update_each(with_momentum);
        }
    }

    SgdOptions options_;
    detail::TopologyFollower topology_;
    detail::ParameterState<T> velocity_;
};

template <class Context, class Layer>
Sgd(Context&, const Layer&) -> Sgd<typename Layer::scalar>;
template <class Context, class Layer>
Sgd(Context&, const Layer&, const SgdOptions&) -> Sgd<typename Layer::scalar>;

}  // namespace snack::inline v0
