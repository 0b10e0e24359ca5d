// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's dense baselines on cuBLAS: W as a matrix, and W times a mask of zeros and ones before each
// product. Every order of W, precision and call that cuBLAS may be fast with is a row of its own; the tables
// take the fastest.

#include <chrono>

#include <bench/gpu/peers/blas.cuh>

namespace bench::gpu {

/// Whether W is multiplied by a mask, element by element, before it is used, and its gradient after.
enum class Masking { none, multiplied };

/// How one sample, or the momentum, is computed.
enum class Call {
    gemm,
    gemv,           ///< at batch 1
    gemm_momentum,  ///< the product for the gradient adds to the momentum, which saves a pass over memory
};

/// The element of W that holds an entry.
struct CellOf {
    const snack::Index* rows;
    const snack::Index* columns;
    Size row_stride;
    Size column_stride;

    SNACK_HOST_DEVICE Size operator()(Size e) const { return rows[e] * row_stride + columns[e] * column_stride; }
};

/// matrix[cell e] = values[e], or 1 without values.
struct ScatterEntries {
    CellOf cell;
    const float* values;
    float* matrix;

    SNACK_HOST_DEVICE void operator()(Size e) const { matrix[cell(e)] = values == nullptr ? 1.0f : values[e]; }
};

/// values[e] = matrix[cell e].
struct GatherEntries {
    CellOf cell;
    const float* matrix;
    float* values;

    SNACK_HOST_DEVICE void operator()(Size e) const { values[e] = matrix[cell(e)]; }
};

/// to = a b, element by element, four in one access.
struct MultiplyElements {
    const float4* a;
    const float4* b;
    float4* to;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const float4 p = a[i];
        const float4 q = b[i];
        to[i] = {p.x * q.x, p.y * q.y, p.z * q.z, p.w * q.w};
    }
};

/// v = momentum v + g; w -= learning_rate v.
struct MomentumStep {
    const float4* gradients;
    float4* velocity;
    float4* weights;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const float4 g = gradients[i];
        float4 v = velocity[i];
        float4 w = weights[i];
        v = {momentum * v.x + g.x, momentum * v.y + g.y, momentum * v.z + g.z, momentum * v.w + g.w};
        w = {w.x - learning_rate * v.x, w.y - learning_rate * v.y, w.z - learning_rate * v.z,
             w.w - learning_rate * v.w};
        velocity[i] = v;
        weights[i] = w;
    }
};

/// w -= learning_rate v.
struct VelocityStep {
    const float4* velocity;
    float4* weights;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const float4 v = velocity[i];
        float4 w = weights[i];
        w = {w.x - learning_rate * v.x, w.y - learning_rate * v.y, w.z - learning_rate * v.z,
             w.w - learning_rate * v.w};
        weights[i] = w;
    }
};

template <Precision P, WeightOrder O, Masking M = Masking::none, Call C = Call::gemm>
class CublasDense {
    static constexpr bool masks = M == Masking::multiplied;
    static_assert(C == Call::gemm || P == Precision::fp32);
    static_assert(C != Call::gemm_momentum || !masks, "the mask comes between gradient and momentum");

    static constexpr const char* names[2][4][2] = {{{"dense_sgemm_rows", "dense_sgemm_columns"},
                                                    {"dense_tf32_rows", "dense_tf32_columns"},
                                                    {"dense_sgemv_rows", "dense_sgemv_columns"},
                                                    {"dense_sgemm_momentum_rows", "dense_sgemm_momentum_columns"}},
                                                   {{"masked_sgemm_rows", "masked_sgemm_columns"},
                                                    {"masked_tf32_rows", "masked_tf32_columns"},
                                                    {"masked_sgemv_rows", "masked_sgemv_columns"},
                                                    {"", ""}}};
    static constexpr int product = C == Call::gemv ? 2 : C == Call::gemm_momentum ? 3 : P == Precision::tf32 ? 1 : 0;

public:
    static constexpr const char* name = names[masks][product][O == WeightOrder::columns];
    static constexpr double operand_roundoff = P == Precision::tf32 ? tf32_roundoff : 0;
    static bool offers(Operation operation, Size batch) {
        return C == Call::gemv            ? operation == Operation::forward && batch == 1
               : C == Call::gemm_momentum ? operation == Operation::training_step
                                          : true;
    }
    static Size bytes_read(const Problem& problem) { return problem.cells() * (masks ? 8 : 4); }
    static double prepare_us(CudaContext&, const Problem&, Operation) { return 0; }

    CublasDense(CudaContext& ctx, const Problem& problem, Operation operation)
        : out_(problem.out_features), in_(problem.in_features) {
        const bool trains = operation == Operation::training_step;
        const bool needs_gradient = operation != Operation::forward && operation != Operation::input_gradient;
        weights_ = matrix(ctx, true);
        mask_ = matrix(ctx, masks);
        masked_ = matrix(ctx, masks && operation != Operation::weight_gradient);
        gradients_ = matrix(ctx, needs_gradient && C != Call::gemm_momentum);
        velocity_ = matrix(ctx, trains);
        if (masks) {
            ctx.for_each_index(problem.nnz(), ScatterEntries{cells_of(problem), nullptr, mask_.data()});
        }
        restore(ctx, problem);
        if (masks && operation != Operation::forward && operation != Operation::weight_gradient) {
            mask_weights(ctx);  // a backward pass uses the product of the forward pass
        }
    }

    void restore(CudaContext& ctx, const Problem& problem) {
        ctx.fill(weights_.span(), 0);
        ctx.fill(velocity_.span(), 0);
        ctx.for_each_index(problem.nnz(), ScatterEntries{cells_of(problem), problem.values.data(), weights_.data()});
    }

    void forward(CudaContext& ctx, Operands& at) {
        if (masks) {
            mask_weights(ctx);
        }
        const BlasMatrix w = weights_of(used_weights(), out_, in_, O);
        const auto& handle = ctx.handle<BlasHandle>();
        if constexpr (C == Call::gemv) {
            multiply_vector(handle, out_, in_, w, at.x().data(), at.y().data());
        } else {
            multiply(handle, P, out_, at.batch(), in_, w, activations_of(at.x()), 0, activations_of(at.y()));
        }
    }

    void input_gradient(CudaContext& ctx, Operands& at) {
        const BlasMatrix w = weights_of(used_weights(), out_, in_, O);
        multiply(ctx.handle<BlasHandle>(), P, in_, at.batch(), out_, !w, activations_of(at.dy()), 0,
                 activations_of(at.dx()));
    }

    void weight_gradient(CudaContext& ctx, Operands& at) {
        float* const to = C == Call::gemm_momentum ? velocity_.data() : gradients_.data();
        multiply(ctx.handle<BlasHandle>(), P, out_, in_, at.batch(), activations_of(at.dy()), !activations_of(at.x()),
                 C == Call::gemm_momentum ? momentum : 0, weights_of(to, out_, in_, O));
        if (masks) {
            ctx.for_each_index(packs(), MultiplyElements{pack(gradients_), pack(mask_), pack(gradients_)});
        }
    }

    void backward(CudaContext& ctx, Operands& at) {
        input_gradient(ctx, at);
        weight_gradient(ctx, at);
    }

    void training_step(CudaContext& ctx, Operands& at) {
        forward(ctx, at);
        backward(ctx, at);
        if constexpr (C == Call::gemm_momentum) {
            ctx.for_each_index(packs(), VelocityStep{pack(velocity_), pack(weights_)});
        } else {
            ctx.for_each_index(packs(), MomentumStep{pack(gradients_), pack(velocity_), pack(weights_)});
        }
    }

    void copy_gradients(CudaContext& ctx, const Problem& problem, DeviceSpan<float> to) const {
        ctx.for_each_index(problem.nnz(), GatherEntries{cells_of(problem), gradients_.data(), to.data()});
    }
    void copy_values(CudaContext& ctx, const Problem& problem, DeviceSpan<float> to) const {
        ctx.for_each_index(problem.nnz(), GatherEntries{cells_of(problem), weights_.data(), to.data()});
    }

private:
    Size packs() const { return (out_ * in_ + 3) / 4; }

    /// All cells, up to whole packs; zeros. Empty if not needed.
    DeviceBuffer<float> matrix(CudaContext& ctx, bool needed) const {
        auto made = ctx.allocate<float>(needed ? packs() * 4 : 0);
        ctx.fill(made.span(), 0);
        return made;
    }

    static float4* pack(DeviceBuffer<float>& buffer) { return reinterpret_cast<float4*>(buffer.data()); }

    const float* used_weights() const { return masks ? masked_.data() : weights_.data(); }

    void mask_weights(CudaContext& ctx) {
        ctx.for_each_index(packs(), MultiplyElements{pack(weights_), pack(mask_), pack(masked_)});
    }

    CellOf cells_of(const Problem& problem) const {
        const bool by_rows = O == WeightOrder::rows;
        return {problem.rows.data(), problem.topology->columns().data(), by_rows ? in_ : 1, by_rows ? 1 : out_};
    }

    Size out_;
    Size in_;
    DeviceBuffer<float> weights_;
    DeviceBuffer<float> mask_;
    DeviceBuffer<float> masked_;
    DeviceBuffer<float> gradients_;
    DeviceBuffer<float> velocity_;
};

}  // namespace bench::gpu
