// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A third party's SpMM becomes a backend with a plan and `forward` alone: the mix-in supplies the rest.

#include <snack/backends/gpu/segmented_gradients.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

namespace {

/// y(b, row) = bias[row] + sum_e values[e] x(b, columns[e]); a thread for each element of y.
template <class T>
struct ForeignSpmm {
    static constexpr const char* name = "ForeignSpmm";
    static constexpr int block_threads = 64;

    const snack::Size* offsets;
    const snack::Index* columns;
    const T* values;
    const T* bias;
    snack::kernels::gpu::Activations<const T> x;
    snack::kernels::gpu::Activations<T> y;
    snack::Size rows;
    snack::Size batch;

    template <class Thread>
    void operator()(const Thread& thread) const {
        const snack::Size i = thread.global_index();
        if (i >= rows * batch) {
            return;
        }
        const snack::Size row = i % rows;
        snack::Accumulator<T> sum = bias == nullptr ? T{0} : bias[row];
        for (snack::Size e = offsets[row]; e < offsets[row + 1]; ++e) {
            sum += values[e] * x(i / rows, columns[e]);
        }
        y(i / rows, row) = static_cast<T>(sum);
    }
};

struct ForwardOnly : snack::SegmentedGradients<tests::OrderedContext> {
    static constexpr const char* name = "ForwardOnly";
    static constexpr snack::Determinism determinism = snack::Determinism::run_to_run;
    using context_type = tests::OrderedContext;
    template <snack::Scalar>
    using plan = snack::SegmentedPlan<tests::OrderedContext>;

    template <snack::Scalar T>
    static plan<T> make_plan(tests::OrderedContext& ctx, const snack::TopologyPtr& topology, snack::PlanUse use) {
        return {ctx, topology, use};
    }

    template <snack::Scalar T>
    static void forward(tests::OrderedContext& ctx, const plan<T>& plan, std::span<const T> values,
                        std::span<const T> bias, snack::MatrixView<const T> x, snack::MatrixView<T> y) {
        const auto& topology = plan.topology();
        const ForeignSpmm<T> kernel{topology.row_offsets().data(),
                                    topology.columns().data(),
                                    values.data(),
                                    bias.empty() ? nullptr : bias.data(),
                                    snack::kernels::gpu::Activations<const T>(x),
                                    snack::kernels::gpu::Activations<T>(y),
                                    y.features(),
                                    y.batch()};
        ctx.launch(kernel, {.blocks_x = (kernel.rows * kernel.batch + 63) / 64});
    }
};

}  // namespace

SNACK_CONFORMANCE(ForwardOnly);
