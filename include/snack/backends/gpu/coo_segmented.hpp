// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The plain deterministic backend for any context that launches kernels: a warp owns a row of y and dw, or
// a column of dx, along an order of the entries by column that the plan keeps.

#include <snack/backends/gpu/segmented_gradients.hpp>

namespace snack::inline v0 {

/// Operands as concepts/backend.hpp says; the same bits in every call of one layout. O(nnz batch) work, no
/// scratch space; asynchronous. Gradients of an inference plan throw UnsupportedError.
template <class Context>
struct CooSegmentedBackend : SegmentedGradients<Context> {
    static constexpr const char* name = "CooSegmented";
    static constexpr Determinism determinism = Determinism::run_to_run;
    using context_type = Context;
    template <Scalar T>
    using plan = SegmentedPlan<Context>;
    template <class T>
    using view = MatrixView<T, typename Context::space>;
    template <class T>
    using span = SpanIn<T, typename Context::space>;

    template <Scalar T>
    static SegmentedPlan<Context> make_plan(Context& ctx, const TopologyPtrIn<typename Context::space>& topology,
                                            PlanUse use) {
        return SegmentedPlan<Context>(ctx, topology, use);
    }

    template <Scalar T>
    static void forward(Context& ctx, const SegmentedPlan<Context>& plan, span<const T> values, span<const T> bias,
                        view<const T> x, view<T> y) {
        const auto& topology = plan.topology();
        const kernels::gpu::Segments<T, Size> rows{.count = topology.out_features(),
                                                   .offsets = topology.row_offsets().data(),
                                                   .others = topology.columns().data(),
                                                   .positions = nullptr,
                                                   .values = values.data()};
        detail::segmented_product(ctx, rows, bias.empty() ? nullptr : bias.data(), x, y);
    }
};

}  // namespace snack::inline v0
