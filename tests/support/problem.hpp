// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One layer with its operands, as a backend test needs them: a pattern, values, bias, x and dy,
// either small integers (every result is exact in any order) or zero-mean random numbers.

#include <vector>

#include <snack/memory/host_context.hpp>
#include <snack/nn/sparse_linear.hpp>
#include <tests/support/activations.hpp>
#include <tests/support/backend_under_test.hpp>
#include <tests/support/patterns.hpp>

namespace tests {

enum class Data { integers, random };

/// A number of the wanted kind at `index` of sequence `stream`; integers lie in [-4, 4].
inline double number(Data data, std::uint32_t stream, Size index) {
    const std::uint64_t bits =
        snack::random_bits({99, stream, snack::Purpose::user, 0}, static_cast<std::uint64_t>(index));
    return data == Data::integers ? static_cast<double>(bits % 9) - 4 : snack::symmetric_uniform(bits, 1.0);
}

template <class T>
std::vector<T> numbers(Data data, std::uint32_t stream, Size count) {
    std::vector<T> result(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<T>(number(data, stream, static_cast<Size>(i)));
    }
    return result;
}

template <class T>
Activations<T> activations(Data data, std::uint32_t stream, Size batch, Size features, Placement placement) {
    return Activations<T>(batch, features, placement,
                          [&](Size sample, Size feature) { return number(data, stream, sample * features + feature); });
}

/// A matrix from a pattern and its values.
template <class T>
snack::CooMatrix<T> matrix_of(const Pattern& pattern, const std::vector<T>& values) {
    snack::Buffer<T> buffer(pattern.nnz());
    for (std::size_t e = 0; e < values.size(); ++e) {
        buffer[static_cast<Size>(e)] = values[e];
    }
    return snack::CooMatrix<T>(pattern.topology(), std::move(buffer));
}

template <class B, class T>
struct Problem {
    Pattern pattern;
    Size batch;
    std::vector<T> values;
    std::vector<T> bias;
    Activations<T> x;
    Activations<T> dy;
    Layer<B, T> layer;

    Problem(ContextFor<B>& ctx, const Pattern& p, Size batch_size, Placement placement, Data data,
            bool with_bias = true)
        : pattern(p),
          batch(batch_size),
          values(numbers<T>(data, 1, p.nnz())),
          bias(numbers<T>(data, 2, with_bias ? p.out_features : 0)),
          x(activations<T>(data, 3, batch_size, p.in_features, placement)),
          dy(activations<T>(data, 4, batch_size, p.out_features, placement)),
          layer(ctx, matrix_of(p, values), bias, {.seed = 5}) {}
};

}  // namespace tests
