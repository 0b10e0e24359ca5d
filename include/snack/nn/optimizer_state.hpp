// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What every optimiser keeps per parameter, and how it follows a topology: arrays of nnz
// elements in canonical order for the connections, and of out_features for the bias.

#include <initializer_list>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/core/scalar.hpp>
#include <snack/core/span.hpp>
#include <snack/memory/buffer.hpp>
#include <snack/nn/operand_checks.hpp>

namespace snack::inline v0 {

namespace detail {

/// One state array for the connections and one for the bias of a layer, where its parameters lie; zero at
/// first.
template <Scalar T, class Space>
struct ParameterState {
    BufferIn<T, Space> values;
    BufferIn<T, Space> bias;

    ParameterState() = default;

    template <class Context, class Layer>
    ParameterState(Context& ctx, const Layer& layer)
        : values(ctx.template allocate<T>(layer.nnz())),
          bias(ctx.template allocate<T>(static_cast<Size>(layer.bias().size()))) {
        ctx.fill(values.span(), T{0});
        ctx.fill(bias.span(), T{0});
    }

    Size bytes() const { return values.bytes() + bias.bytes(); }
};

/// Remembers which layer an optimiser's state belongs to. Moved from, it belongs to none.
class TopologyFollower {
public:
    /// @throws UnsupportedError if the layer has no gradients or is empty; ArgumentError if it lies where the
    ///         context's work cannot
    template <class Context, class Layer>
    TopologyFollower(const char* where, const Context& ctx, const Layer& layer) : bias_(layer.bias().size()) {
        require<UnsupportedError>(layer.topology() != nullptr, where, "the layer is empty, it was moved from");
        require<UnsupportedError>(has_gradients(layer), where, "the layer was made for inference only");
        check_memory(where, "the layer", ctx, layer.topology()->row_offsets());
        version_ = layer.topology()->version();
    }
    TopologyFollower(const TopologyFollower&) = default;
    TopologyFollower& operator=(const TopologyFollower&) = default;
    TopologyFollower(TopologyFollower&& other) noexcept
        : version_(std::exchange(other.version_, 0)), bias_(other.bias_) {}
    TopologyFollower& operator=(TopologyFollower&& other) noexcept {
        version_ = std::exchange(other.version_, 0);
        bias_ = other.bias_;
        return *this;
    }
    ~TopologyFollower() = default;

    /// @throws TopologyError if the layer was rewired and the state did not follow, or is another;
    ///         UnsupportedError if it has no gradients; ArgumentError if it lies where the context's work cannot
    template <class Context, class Layer>
    void require_current(const char* where, const Context& ctx, const Layer& layer) const {
        require<TopologyError>(
            layer.topology() != nullptr && layer.topology()->version() == version_ && layer.bias().size() == bias_,
            where,
            "the layer is not the optimiser's, or was rewired; use one optimiser object per layer, "
            "and call remap with each rewire report");
        require<UnsupportedError>(has_gradients(layer), where, "the layer was made for inference only");
        check_memory(where, "the layer", ctx, layer.topology()->row_offsets());
    }

    /// Carries the arrays along; grown connections start at zero. Changes all or nothing.
    /// @throws TopologyError if the report does not start from the topology followed so far
    template <class Context, class Report, class Array>
    void follow(const char* where, Context& ctx, const Report& report, std::initializer_list<Array*> arrays) {
        require<TopologyError>(report.before() != nullptr && report.before()->version() == version_, where,
                               "the report does not start from the topology of this optimiser's state");
        check_memory(where, "the report", ctx, report.after()->row_offsets());
        for (Array* array : arrays) {
            if (array->size() > 0) {
                report.apply_map(ctx, array->span(), 0);
            }
        }
        version_ = report.after()->version();
    }

private:
    template <class Layer>
    static bool has_gradients(const Layer& layer) {
        return static_cast<Size>(layer.gradients().size()) == layer.nnz() &&
               layer.bias_gradients().size() == layer.bias().size();
    }

    std::uint64_t version_ = 0;  // no topology has version 0
    std::size_t bias_;
};

}  // namespace detail

}  // namespace snack::inline v0
