// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a backend or another library has to supply for rows of its own, one small concept a requirement, so
// that a compiler names the one that fails.

#include <concepts>

#include <bench/gpu/problem.cuh>

namespace bench::gpu {

/// The relative error of a float that becomes TF32, which keeps 10 bits after the first: cuBLAS does not promise
/// to round rather than to cut off.
inline constexpr double tf32_roundoff = 0x1p-10;

/// `name`: the method's column of the results; `offers(operation, batch)`: whether there are such rows;
/// `operand_roundoff`: how far factors are rounded before they are multiplied.
template <class M>
concept NamedMethod = requires(Operation operation, Size batch) {
    { M::name } -> std::convertible_to<const char*>;
    { M::offers(operation, batch) } -> std::same_as<bool>;
    { M::operand_roundoff } -> std::convertible_to<double>;
};

/// `M(ctx, problem, operation)`: weights, and what the operation needs besides, in memory of its own, so that
/// objects can take turns with a cold cache; `bytes_read(problem)`: what a forward product reads of it at
/// least; `restore(ctx, problem)`: weights and momentum as they were made.
template <class M>
concept HoldsWeights = requires(M& method, CudaContext& ctx, const Problem& problem, Operation operation) {
    M(ctx, problem, operation);
    { M::bytes_read(problem) } -> std::same_as<Size>;
    { M::prepare_us(ctx, problem, operation) } -> std::same_as<double>;
    method.restore(ctx, problem);
};

/// What is timed; `backward` is both gradients. Asynchronous, and without allocations from the second call on.
template <class M>
concept Operates = requires(M& method, CudaContext& ctx, Operands& operands) {
    method.forward(ctx, operands);
    method.input_gradient(ctx, operands);
    method.weight_gradient(ctx, operands);
    method.backward(ctx, operands);
    method.training_step(ctx, operands);
};

/// Copies gradients, or weights, of the entries of the sparse matrix to an array of nnz, for the oracle.
template <class M>
concept ShowsEntries = requires(M& method, CudaContext& ctx, const Problem& problem, DeviceSpan<float> to) {
    method.copy_gradients(ctx, problem, to);
    method.copy_values(ctx, problem, to);
};

template <class M>
concept Method = NamedMethod<M> && HoldsWeights<M> && Operates<M> && ShowsEntries<M>;

template <Method M>
void call(M& method, CudaContext& ctx, Operation operation, Operands& operands) {
    switch (operation) {
        case Operation::forward:
            return method.forward(ctx, operands);
        case Operation::input_gradient:
            return method.input_gradient(ctx, operands);
        case Operation::weight_gradient:
            return method.weight_gradient(ctx, operands);
        case Operation::backward:
            return method.backward(ctx, operands);
        case Operation::training_step:
            return method.training_step(ctx, operands);
    }
}

}  // namespace bench::gpu
