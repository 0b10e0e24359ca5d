// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a backend has to supply, one small concept a requirement, so that a compiler names the
// one that fails. A backend is a type with static functions; it turns a topology into a plan
// once and reads values, which change every step, where they lie (paper, section 3.5).

#include <concepts>

#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/core/span.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// `name`: a string; `determinism`: how far results repeat; `context_type`: where it runs.
template <class B>
concept NamedBackend = requires {
    { B::name } -> std::convertible_to<const char*>;
    { B::determinism } -> std::convertible_to<Determinism>;
    typename B::context_type;
};

template <class B, class T>
using PlanOf = typename B::template plan<T>;
template <class B>
using ContextOf = typename B::context_type;

/// Where the arrays of a backend lie, and the views, spans and coordinates it takes.
template <class B>
using SpaceOf = typename ContextOf<B>::space;
template <class B, class T>
using ViewOf = MatrixView<T, SpaceOf<B>>;
template <class B, class T>
using SpanOf = SpanIn<T, SpaceOf<B>>;

/// `plan<T>` and `make_plan<T>(ctx, topology, use)`, called once per topology.
/// A plan tells its bytes and the version of the topology it was made for.
template <class B, class T>
concept PlansTopology = requires(ContextOf<B>& ctx, const TopologyPtrIn<SpaceOf<B>>& topology,
                                 const PlanOf<B, T>& plan) {
    { B::template make_plan<T>(ctx, topology, PlanUse::training) } -> std::same_as<PlanOf<B, T>>;
    { plan.bytes() } -> std::same_as<Size>;
    { plan.topology_version() } -> std::same_as<std::uint64_t>;
};

/// All views of one call have the same layout and batch; SparseLinear has checked them.
///
/// y = x W^T + bias: overwrites all of y (batch, out_features), rows without entries too.
/// An empty bias adds nothing.
template <class B, class T>
concept ComputesForward = requires(ContextOf<B>& ctx, const PlanOf<B, T>& plan, SpanOf<B, const T> values,
                                   SpanOf<B, const T> bias, ViewOf<B, const T> x, ViewOf<B, T> y) {
    B::template forward<T>(ctx, plan, values, bias, x, y);
};

/// Optional: y = activation(x W^T + bias) in the same pass.
template <class B, class T>
concept FusesActivation = requires(ContextOf<B>& ctx, const PlanOf<B, T>& plan, SpanOf<B, const T> values,
                                   SpanOf<B, const T> bias, ViewOf<B, const T> x, ViewOf<B, T> y) {
    B::template forward<T>(ctx, plan, values, bias, x, y, Activation::relu);
};

/// dx = dy W: overwrites all of dx (batch, in_features).
template <class B, class T>
concept ComputesInputGradient = requires(ContextOf<B>& ctx, const PlanOf<B, T>& plan, SpanOf<B, const T> values,
                                         ViewOf<B, const T> dy, ViewOf<B, T> dx) {
    B::template input_gradient<T>(ctx, plan, values, dy, dx);
};

/// dw[e] = beta dw[e] + sum_b dy(b, row e) x(b, column e); beta == 0 overwrites, NaN included.
template <class B, class T>
concept ComputesWeightGradient = requires(ContextOf<B>& ctx, const PlanOf<B, T>& plan, ViewOf<B, const T> x,
                                          ViewOf<B, const T> dy, SpanOf<B, T> dw, T beta) {
    B::template weight_gradient<T>(ctx, plan, x, dy, dw, beta);
};

/// db[i] = beta db[i] + sum_b dy(b, i).
template <class B, class T>
concept ComputesBiasGradient = requires(ContextOf<B>& ctx, ViewOf<B, const T> dy, SpanOf<B, T> db, T beta) {
    B::template bias_gradient<T>(ctx, dy, db, beta);
};

template <class B, class T>
concept Backend = NamedBackend<B> && Scalar<T> && PlansTopology<B, T> && ComputesForward<B, T> &&
    ComputesInputGradient<B, T> && ComputesWeightGradient<B, T> && ComputesBiasGradient<B, T>;

/// Optional: both gradients in one call, `backward(ctx, plan, values, x, dy, dx, dw, beta)`.
template <class B, class T>
concept FusesBackward = requires(ContextOf<B>& ctx, const PlanOf<B, T>& plan, SpanOf<B, const T> values,
                                 ViewOf<B, const T> x, ViewOf<B, const T> dy, ViewOf<B, T> dx, SpanOf<B, T> dw,
                                 T beta) {
    B::template backward<T>(ctx, plan, values, x, dy, dx, dw, beta);
};

/// Optional: the plan holds a copy of the values, and `refresh(ctx, plan, values)` renews it.
/// A layer calls it whenever its values change; see `SparseLinear::values_changed`. It neither
/// allocates nor throws: make_plan has taken the memory.
template <class B, class T>
concept CopiesValues = requires(ContextOf<B>& ctx, PlanOf<B, T>& plan, SpanOf<B, const T> values) {
    B::template refresh<T>(ctx, plan, values);
};

/// Optional: `forms_dense = true` marks a baseline that holds W as a matrix of out x in elements.
/// An absent entry is a zero there, so NaN and infinity reach results that they otherwise would not.
template <class B>
concept FormsDense = requires {
    requires B::forms_dense;
};

}  // namespace snack::inline v0
