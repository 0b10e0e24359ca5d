// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Initial weights scaled by the fan a sparse unit really has (Evci et al. 2019; paper, section
// 3.3 leaves it open): a row of ten connections gets larger weights than one of a thousand, so
// signals keep their variance. Each value depends on the random key and its position alone.

#include <numbers>
#include <span>

#include <snack/concepts/initializer.hpp>
#include <snack/core/math.hpp>
#include <snack/core/scalar.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// U(-b, b), b = gain sqrt(3 / fan_in): variance gain^2 / fan_in. The gain sqrt(2) suits ReLU (He et al. 2015).
struct KaimingUniform {
    double gain = std::numbers::sqrt2;
    SNACK_HOST_DEVICE double operator()(const RandomKey& key, const Connection& at) const {
        const double bound = gain * math::sqrt(3.0 / static_cast<double>(at.fan_in));
        return symmetric_uniform(random_bits(key, static_cast<std::uint64_t>(at.entry)), bound);
    }
};

/// N(0, gain^2 / fan_in).
struct KaimingNormal {
    double gain = std::numbers::sqrt2;
    SNACK_HOST_DEVICE double operator()(const RandomKey& key, const Connection& at) const {
        const double deviation = gain / math::sqrt(static_cast<double>(at.fan_in));
        return deviation * standard_normal(random_bits(key, static_cast<std::uint64_t>(at.entry)));
    }
};

/// U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
struct XavierUniform {
    double gain = 1;
    SNACK_HOST_DEVICE double operator()(const RandomKey& key, const Connection& at) const {
        const double bound = gain * math::sqrt(6.0 / static_cast<double>(at.fan_in + at.fan_out));
        return symmetric_uniform(random_bits(key, static_cast<std::uint64_t>(at.entry)), bound);
    }
};

/// N(0, 2 gain^2 / (fan_in + fan_out)).
struct XavierNormal {
    double gain = 1;
    SNACK_HOST_DEVICE double operator()(const RandomKey& key, const Connection& at) const {
        const double deviation = gain * math::sqrt(2.0 / static_cast<double>(at.fan_in + at.fan_out));
        return deviation * standard_normal(random_bits(key, static_cast<std::uint64_t>(at.entry)));
    }
};

/// The same value everywhere.
struct ConstantValue {
    double value = 0;
    SNACK_HOST_DEVICE double operator()(const RandomKey&, const Connection&) const { return value; }
};

/// Overwrites `values` (nnz) with initializer(key, connection) for each entry of the topology.
/// O(nnz + in_features) time, in_features counters of memory.
/// @throws ShapeError if `values` has another extent; nothing is written then
template <Scalar T, ValueInitializer Initializer>
void initialize_values(const Topology& topology, const Initializer& initializer, const RandomKey& key,
                       std::span<T> values, Allocator* allocator = nullptr) {
    require<ShapeError>(static_cast<Size>(values.size()) == topology.nnz(), "initialize_values", "span of ",
                        values.size(), " elements for ", topology.nnz(), " entries");
    Buffer<Size> fan_out(topology.in_features(), 0, allocator);
    for (const Index column : topology.columns()) {
        ++fan_out[column];
    }
    const Size* offsets = topology.row_offsets().data();
    for_each_entry(topology, [&](Size entry, Index row, Index column) {
        const Connection at{entry, row, column, offsets[row + 1] - offsets[row], fan_out[column]};
        values.data()[entry] = static_cast<T>(initializer(key, at));
    });
}

/// The same with the memory of a context.
template <class Context, Scalar T, ValueInitializer Initializer>
void initialize_values(Context& ctx, const Topology& topology, const Initializer& initializer, const RandomKey& key,
                       std::span<T> values) {
    initialize_values(topology, initializer, key, values, ctx.allocator());
}

}  // namespace snack::inline v0
