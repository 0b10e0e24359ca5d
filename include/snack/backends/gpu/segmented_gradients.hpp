// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Both gradients for any backend on a GPU, the mix-in for one that brings a plan and `forward` alone: a warp
// owns a row of dw, or a column of dx along an order of the entries by column that the plan keeps.

#include <utility>

#include <snack/backends/gpu/bias_gradient.hpp>
#include <snack/kernels/gpu/segmented.hpp>
#include <snack/sparse/column_order.hpp>

namespace snack::inline v0 {

/// What the gradients walk along, the base of a plan: row offsets and columns are the topology's; for
/// training it adds the column order, 8 B/nnz.
template <class Context>
class SegmentedPlan {
public:
    using space = typename Context::space;

    SegmentedPlan(Context& ctx, TopologyPtrIn<space> topology, PlanUse use)
        : topology_(std::move(topology)), use_(use) {
        if (use == PlanUse::training) {
            by_column_ = column_order(ctx, *topology_);
        }
    }

    const TopologyIn<space>& topology() const noexcept { return *topology_; }
    PlanUse use() const noexcept { return use_; }
    const ColumnOrder<space>& by_column() const noexcept { return by_column_; }

    Size bytes() const noexcept { return by_column_.bytes(); }
    std::uint64_t topology_version() const noexcept { return topology_->version(); }

private:
    TopologyPtrIn<space> topology_;
    PlanUse use_;
    ColumnOrder<space> by_column_;
};

namespace detail {

/// out(b, s) = bias[s] + sum_e value[e] in(b, other[e]) by the kernel for its batch and layout.
template <class Context, class T, class Position>
void segmented_product(Context& ctx, const kernels::gpu::Segments<T, Position>& segments, const T* bias,
                       const MatrixView<const T, typename Context::space>& in,
                       const MatrixView<T, typename Context::space>& out) {
    // From this batch on a lane for each sample is faster, where samples lie side by side.
    constexpr Size samples_for_lanes = 16;
    const kernels::gpu::ProductOperands<T, Position> operands{segments, bias, kernels::gpu::Activations<const T>(in),
                                                              kernels::gpu::Activations<T>(out), out.batch()};
    if (out.layout() == Layout::column_major && out.batch() >= samples_for_lanes) {
        const kernels::gpu::SegmentedProductBySample<T, Position> kernel{operands};
        ctx.launch(kernel, kernel.shape());
    } else {
        const kernels::gpu::SegmentedProduct<T, Position> kernel{operands};
        ctx.launch(kernel, kernel.shape());
    }
}

}  // namespace detail

/// Base of a backend whose plans derive from SegmentedPlan<Context>: it inherits input_gradient,
/// weight_gradient and bias_gradient, each with the same bits in every call of one layout. O(nnz batch) work,
/// no scratch space; asynchronous. Gradients of an inference plan throw UnsupportedError.
template <class Context>
struct SegmentedGradients : BiasGradientOnGpu<Context> {
    template <class T>
    using view = MatrixView<T, typename Context::space>;
    template <class T>
    using span = SpanIn<T, typename Context::space>;

    template <Scalar T>
    static void input_gradient(Context& ctx, const SegmentedPlan<Context>& plan, span<const T> values, view<const T> dy,
                               view<T> dx) {
        require_training(plan);
        const auto& order = plan.by_column();
        order.with_positions([&]<class Position>(const Position* positions) {
            const kernels::gpu::Segments<T, Position> columns{.count = plan.topology().in_features(),
                                                              .offsets = order.offsets().data(),
                                                              .others = order.rows().data(),
                                                              .positions = positions,
                                                              .values = values.data()};
            detail::segmented_product<Context, T, Position>(ctx, columns, nullptr, dy, dx);
        });
    }

    template <Scalar T>
    static void weight_gradient(Context& ctx, const SegmentedPlan<Context>& plan, view<const T> x, view<const T> dy,
                                span<T> dw, T beta) {
        require_training(plan);
        const auto& topology = plan.topology();
        const kernels::gpu::SegmentedOuterProduct<T> kernel{.rows = topology.out_features(),
                                                            .offsets = topology.row_offsets().data(),
                                                            .columns = topology.columns().data(),
                                                            .x = kernels::gpu::Activations<const T>(x),
                                                            .dy = kernels::gpu::Activations<const T>(dy),
                                                            .batch = x.batch(),
                                                            .dw = dw.data(),
                                                            .beta = beta};
        ctx.launch(kernel, kernel.shape());
    }

private:
    static void require_training(const SegmentedPlan<Context>& plan) {
        require<UnsupportedError>(plan.use() == PlanUse::training, "SegmentedGradients",
                                  "the plan was made for inference only");
    }
};

}  // namespace snack::inline v0
