// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a backend or another library has to supply for rows of its own, one small concept a
// requirement, so that a compiler names the one that fails.

#include <concepts>

#include <bench/problem.hpp>

namespace bench {

/// `name`: the backend column of the results; `lacks(operation)`: null, or why there is no such row.
template <class A>
concept NamedAdapter = requires(Operation operation) {
    { A::name } -> std::convertible_to<const char*>;
    { A::lacks(operation) } -> std::same_as<const char*>;
};

/// `A(problem, setting)`: conversions and preprocessing, timed apart; `tune(operands)`: more of it, for
/// this batch and layout. A copy shares no memory of the matrix that a product reads, for cold caches.
template <class A>
concept Prepares = std::constructible_from<A, const Problem&, const Setting&> && std::copy_constructible<A> &&
    requires(A& adapter, Operands& operands) {
    adapter.tune(operands);
};

/// What is timed; `backward` is both gradients.
template <class A>
concept Operates = requires(A& adapter, Operands& operands) {
    adapter.forward(operands);
    adapter.input_gradient(operands);
    adapter.weight_gradient(operands);
    adapter.backward(operands);
    adapter.training_step(operands);
};

/// `gradient` and `value`: results by entry of the sparse matrix, for the oracle.
template <class A>
concept ShowsEntries = requires(const A& adapter, Size entry, Index row, Index column) {
    { adapter.gradient(entry, row, column) } -> std::same_as<float>;
    { adapter.value(entry, row, column) } -> std::same_as<float>;
};

/// `bytes`: held for the operation, activations apart; `bytes_read`: those of the matrix that a forward
/// product reads, which a copy has again.
template <class A>
concept CountsBytes = requires(const A& adapter) {
    { adapter.bytes() } -> std::same_as<Size>;
    { adapter.bytes_read() } -> std::same_as<Size>;
};

template <class A>
concept Adapter = NamedAdapter<A> && Prepares<A> && Operates<A> && ShowsEntries<A> && CountsBytes<A>;

/// The part of an adapter to a library that has no product for the weight gradient on a support.
struct NoGradients {
    static const char* lacks(Operation operation) {
        return operation == Operation::forward || operation == Operation::input_gradient ? nullptr
                                                                                         : "no sampled product";
    }
    void tune(Operands&) {}
    void weight_gradient(Operands&) {}
    void backward(Operands&) {}
    void training_step(Operands&) {}
    float gradient(Size, Index, Index) const { return 0; }
    float value(Size, Index, Index) const { return 0; }
};

}  // namespace bench
