// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's own backend for any context that launches kernels: SNACK-COO for the products, the sparse
// outer product for the weight gradient (paper, sections 3.2 and 3.4).

#include <utility>

#include <snack/backends/gpu/bias_gradient.hpp>
#include <snack/kernels/gpu/coo_atomic.hpp>
#include <snack/sparse/cell_steps.hpp>

namespace snack::inline v0 {

/// The COO triple of the paper: the topology has the columns, this the row of each entry. 4 B/nnz.
template <class Context>
class CooPlan {
public:
    CooPlan(Context& ctx, TopologyPtrIn<typename Context::space> topology)
        : topology_(std::move(topology)), rows_(ctx.template allocate<Index>(topology_->nnz())) {
        ctx.for_each_index(topology_->nnz(), detail::RowOfEntry{topology_->row_offsets().data(),
                                                                topology_->out_features(), rows_.data()});
    }

    Size nnz() const noexcept { return topology_->nnz(); }
    const Index* rows() const noexcept { return rows_.data(); }
    const Index* columns() const noexcept { return topology_->columns().data(); }

    Size bytes() const noexcept { return rows_.bytes(); }
    std::uint64_t topology_version() const noexcept { return topology_->version(); }

private:
    TopologyPtrIn<typename Context::space> topology_;
    BufferIn<Index, typename Context::space> rows_;
};

/// Operands as concepts/backend.hpp says. Sums are added up by atomics, in any order. O(nnz batch) work, no
/// scratch space; asynchronous.
template <class Context>
struct CooAtomicBackend : BiasGradientOnGpu<Context> {
    static constexpr const char* name = "CooAtomic";
    static constexpr Determinism determinism = Determinism::not_guaranteed;
    using context_type = Context;
    template <Scalar T>
    using plan = CooPlan<Context>;
    template <class T>
    using view = MatrixView<T, typename Context::space>;
    template <class T>
    using span = SpanIn<T, typename Context::space>;

    template <Scalar T>
    static CooPlan<Context> make_plan(Context& ctx, const TopologyPtrIn<typename Context::space>& topology, PlanUse) {
        return CooPlan<Context>(ctx, topology);
    }

    template <Scalar T>
    static void forward(Context& ctx, const CooPlan<Context>& plan, span<const T> values, span<const T> bias,
                        view<const T> x, view<T> y) {
        product<T>(ctx, plan, plan.rows(), plan.columns(), values, bias, x, y);
    }

    /// The forward product with the index arrays swapped.
    template <Scalar T>
    static void input_gradient(Context& ctx, const CooPlan<Context>& plan, span<const T> values, view<const T> dy,
                               view<T> dx) {
        product<T>(ctx, plan, plan.columns(), plan.rows(), values, {}, dy, dx);
    }

    template <Scalar T>
    static void weight_gradient(Context& ctx, const CooPlan<Context>& plan, view<const T> x, view<const T> dy,
                                span<T> dw, T beta) {
        const kernels::gpu::CooOuterProduct<T> kernel{.nnz = plan.nnz(),
                                                      .batch = x.batch(),
                                                      .rows = plan.rows(),
                                                      .columns = plan.columns(),
                                                      .x = kernels::gpu::Activations<const T>(x),
                                                      .dy = kernels::gpu::Activations<const T>(dy),
                                                      .dw = dw.data(),
                                                      .beta = beta};
        ctx.launch(kernel, kernel.shape());
    }

private:
    template <class T>
    static void product(Context& ctx, const CooPlan<Context>& plan, const Index* to, const Index* from,
                        span<const T> values, span<const T> bias, view<const T> in, view<T> out) {
        ctx.for_each_index(out.batch() * out.features(),
                           kernels::gpu::BroadcastBias<T>(out, bias.empty() ? nullptr : bias.data()));
        const kernels::gpu::CooAtomicProduct<T> kernel{.nnz = plan.nnz(),
                                                       .batch = out.batch(),
                                                       .to = to,
                                                       .from = from,
                                                       .values = values.data(),
                                                       .in = kernels::gpu::Activations<const T>(in),
                                                       .out = kernels::gpu::Activations<T>(out)};
        ctx.launch(kernel, kernel.shape());
    }
};

}  // namespace snack::inline v0
