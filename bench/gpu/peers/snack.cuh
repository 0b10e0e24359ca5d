// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The library's own backends as rows of a table, through SparseLinear.

#include <chrono>
#include <optional>
#include <utility>

#include <bench/gpu/method.cuh>

namespace bench::gpu {

/// How far a backend rounds its factors before it multiplies; one that computes in TF32 says so beside the
/// list of rows.
template <class B>
inline constexpr double operand_roundoff_of = 0;

template <class B>
class Snack {
public:
    using backend = B;
    static constexpr const char* name = B::name;
    static constexpr double operand_roundoff = operand_roundoff_of<B>;
    static bool offers(Operation, Size) { return true; }

    /// A value and a 16-bit column of each entry, though a backend may read more; of a dense one the matrix.
    static Size bytes_read(const Problem& problem) {
        return snack::FormsDense<B> ? problem.cells() * 4 : problem.nnz() * 6;
    }

    /// How long the plan takes, from a topology on the device to a plan there, on the second time.
    static double prepare_us(CudaContext& ctx, const Problem& problem, Operation operation) {
        double us = 0;
        for (int run = 0; run < 2; ++run) {
            ctx.synchronize();
            const auto start = std::chrono::steady_clock::now();
            const auto plan = B::template make_plan<float>(ctx, problem.topology, use_for(operation));
            ctx.synchronize();
            us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
        }
        return us;
    }

    Snack(CudaContext& ctx, const Problem& problem, Operation operation)
        : layer_(ctx, problem.layer_options(use_for(operation)), UniformValues{}) {
        if (operation == Operation::training_step) {
            sgd_.emplace(ctx, layer_, snack::SgdOptions{.learning_rate = learning_rate, .momentum = momentum});
        }
    }

    void restore(CudaContext& ctx, const Problem& problem) {
        ctx.copy(problem.values.span(), layer_.values());
        layer_.values_changed(ctx);
        if (sgd_) {
            ctx.fill(sgd_->velocity(), 0);
        }
    }

    void forward(CudaContext& ctx, Operands& at) { layer_.forward(ctx, at.x(), at.y()); }
    void input_gradient(CudaContext& ctx, Operands& at) {
        B::template input_gradient<float>(ctx, layer_.plan(), std::as_const(layer_).values(), at.dy(), at.dx());
    }
    void weight_gradient(CudaContext& ctx, Operands& at) { layer_.backward(ctx, at.x(), at.dy()); }
    void backward(CudaContext& ctx, Operands& at) { layer_.backward(ctx, at.x(), at.dy(), at.dx()); }
    void training_step(CudaContext& ctx, Operands& at) {
        forward(ctx, at);
        backward(ctx, at);
        sgd_->step(ctx, layer_);
    }

    void copy_gradients(CudaContext& ctx, const Problem&, DeviceSpan<float> to) const {
        ctx.copy(layer_.gradients(), to);
    }
    void copy_values(CudaContext& ctx, const Problem&, DeviceSpan<float> to) const { ctx.copy(layer_.values(), to); }

private:
    static snack::PlanUse use_for(Operation operation) {
        return operation == Operation::forward ? snack::PlanUse::inference : snack::PlanUse::training;
    }

    snack::SparseLinear<B, float> layer_;
    std::optional<snack::Sgd<float, CudaSpace>> sgd_;
};

}  // namespace bench::gpu
