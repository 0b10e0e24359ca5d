// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// cuSPARSE for the forward product alone, with the library's own gradients: what a third-party SpMM has to
// bring to become a backend, and what it inherits. snack.cuh leaves it out; link cusparse.

#include <utility>

#include <snack/backends/cusparse/pieces.cuh>
#include <snack/backends/gpu/segmented_gradients.hpp>
#include <snack/sparse/cuda_column_order.cuh>

namespace snack::inline v0 {

class CuSparseForwardPlan : public SegmentedPlan<CudaContext> {
public:
    CuSparseForwardPlan(CudaContext& ctx, const CudaTopologyPtr& topology, PlanUse use, bool coo)
        : SegmentedPlan<CudaContext>(ctx, topology, use), product_(ctx, topology, coo) {}

    const CuSparsePlan& product() const noexcept { return product_; }
    Size bytes() const { return SegmentedPlan<CudaContext>::bytes() + product_.bytes(); }

private:
    CuSparsePlan product_;
};

/// Forward as in CuSparseBackend, gradients as in CooSegmented.
template <CuSparseAlgorithm Algorithm>
struct CuSparseForwardBackend : SegmentedGradients<CudaContext> {
    static constexpr detail::CuSparseChoice choice = detail::cusparse_choice(Algorithm);
    static constexpr const char* name = choice.forward_name;
    static constexpr Determinism determinism = Determinism::not_guaranteed;
    using context_type = CudaContext;
    template <Scalar T>
    using plan = CuSparseForwardPlan;

    /// @throws UnsupportedError for 2^31 entries or more
    template <Scalar T>
    static CuSparseForwardPlan make_plan(CudaContext& ctx, const CudaTopologyPtr& topology, PlanUse use) {
        return {ctx, topology, use, choice.coo};
    }

    template <Scalar T>
    static void forward(CudaContext& ctx, const CuSparseForwardPlan& plan, DeviceSpan<const T> values,
                        DeviceSpan<const T> bias, MatrixView<const T, CudaSpace> x, MatrixView<T, CudaSpace> y) {
        detail::cusparse_product<T>(ctx, choice, plan.product(), false, values.data(),
                                    bias.empty() ? nullptr : bias.data(), x, y);
    }
};

using CuSparseForward = CuSparseForwardBackend<CuSparseAlgorithm::csr_2>;

}  // namespace snack::inline v0
