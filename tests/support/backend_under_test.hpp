// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the conformance suite runs a backend with: its context and its layer, or, for one in another memory
// space, stand-ins that take operands on the host (support/device_layer.cuh).

#include <concepts>

#include <snack/memory/emulated_context.hpp>
#include <snack/nn/sparse_linear.hpp>

namespace tests {

/// Kernels run thread by thread on the host, so shapes are small.
template <class B>
inline constexpr bool is_emulated = std::derived_from<snack::ContextOf<B>, snack::simt::EmulatedContext>;

template <class Space>
struct StandIns {
    template <class B>
    using context = snack::ContextOf<B>;
    template <class B, class T>
    using layer = snack::SparseLinear<B, T>;
};

/// Made from {.threads, .allocator, .executor} as a HostContext is.
template <class B>
using ContextFor = typename StandIns<snack::SpaceOf<B>>::template context<B>;
template <class B, class T>
using Layer = typename StandIns<snack::SpaceOf<B>>::template layer<B, T>;

/// What a test of the conformance suite does first for the type it is written for, and the backend it then tries:
/// nothing and that type, unless specialised.
template <class Subject>
struct Setting {
    using backend = Subject;
};

/// B::input_gradient by itself.
template <class B, class T>
void input_gradient_of(snack::ContextOf<B>& ctx, const snack::SparseLinear<B, T>& layer, snack::MatrixView<const T> dy,
                       snack::MatrixView<T> dx) {
    B::template input_gradient<T>(ctx, layer.plan(), layer.values(), dy, dx);
}

/// Bytes of a plan, and the version it tells.
struct PlanFacts {
    snack::Size bytes;
    bool knows_topology;
};

template <class B, class T>
PlanFacts plan_facts(snack::ContextOf<B>& ctx, const snack::TopologyPtr& on_host, snack::PlanUse use) {
    const auto topology = topology_in(ctx, on_host);
    const auto plan = B::template make_plan<T>(ctx, topology, use);
    return {plan.bytes(), plan.topology_version() == topology->version()};
}

}  // namespace tests
