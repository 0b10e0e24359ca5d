// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The data of a table: one sparse matrix, and activations in either layout. Every number is a
// function of its position, so all rows of a table, and all runs, compute on the same data.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <bench/floats.hpp>
#include <bench/setting.hpp>
#include <snack/core/random.hpp>
#include <snack/init/sample.hpp>
#include <snack/init/uniform_topology.hpp>

namespace bench {

/// Number `index` of a sequence of zero-mean numbers in (-1, 1).
inline float number(std::uint32_t sequence, Size index) {
    const snack::RandomKey key{2026, sequence, snack::Purpose::user, 0};
    return static_cast<float>(snack::symmetric_uniform(snack::random_bits(key, static_cast<std::uint64_t>(index)), 1));
}

enum class Support {
    uniform,
    skewed,  ///< eight rows have fifty times the mean, the others share what is left
};

inline snack::TopologyPtr skewed_topology(Size out_features, Size in_features, Size nnz) {
    constexpr Size heavy_rows = 8;
    const Size heavy = std::min(in_features, 50 * nnz / out_features);
    const Size light = (nnz - heavy_rows * heavy) / (out_features - heavy_rows);
    std::vector<Size> cells;
    for (Size row = 0; row < out_features; ++row) {
        const snack::RandomKey key{2026, static_cast<std::uint32_t>(row), snack::Purpose::topology, 0};
        const bool is_heavy = row % (out_features / heavy_rows) == 0;
        for (const Size column : snack::sample_without_replacement(key, in_features, is_heavy ? heavy : light)) {
            cells.push_back(row * in_features + column);
        }
    }
    return snack::Topology::from_cells(out_features, in_features, cells);
}

/// A sparse matrix in canonical order.
struct Problem {
    snack::TopologyPtr topology;
    Floats values;

    Problem(Size out_features, Size in_features, double sparsity, Support support) {
        const Size nnz = snack::entries_for_sparsity(out_features, in_features, sparsity);
        topology = support == Support::skewed ? skewed_topology(out_features, in_features, nnz)
                                              : snack::uniform_topology(out_features, in_features, nnz,
                                                                        {2026, 0, snack::Purpose::topology, 0});
        for (Size e = 0; e < topology->nnz(); ++e) {
            values.push_back(number(1, e));
        }
    }
};

/// The whole matrix, out_features x in_features row by row, zeros where it has no entry.
inline Floats dense_values(const Problem& problem) {
    Floats dense(static_cast<std::size_t>(problem.topology->cells()));
    snack::for_each_entry(*problem.topology, [&](Size entry, Index row, Index column) {
        dense[static_cast<std::size_t>(snack::cell_index(row, column, problem.topology->in_features()))] =
            problem.values[static_cast<std::size_t>(entry)];
    });
    return dense;
}

/// Input, output and their gradients of one batch.
class Operands {
public:
    Operands(const snack::Topology& topology, Size batch, Layout layout)
        : batch_(batch),
          layout_(layout),
          in_features_(topology.in_features()),
          out_features_(topology.out_features()),
          x_(filled(2, in_features_)),
          dy_(filled(3, out_features_)),
          y_(dy_.size()),
          dx_(x_.size()) {}

    Size batch() const { return batch_; }
    Layout layout() const { return layout_; }
    /// Elements from one line to the next.
    Size in_stride() const { return layout_ == Layout::row_major ? in_features_ : batch_; }
    Size out_stride() const { return layout_ == Layout::row_major ? out_features_ : batch_; }

    snack::MatrixView<const float> x() const { return {x_.data(), batch_, in_features_, layout_}; }
    snack::MatrixView<const float> dy() const { return {dy_.data(), batch_, out_features_, layout_}; }
    snack::MatrixView<float> y() { return {y_.data(), batch_, out_features_, layout_}; }
    snack::MatrixView<float> dx() { return {dx_.data(), batch_, in_features_, layout_}; }

    /// So that a result is seen to be written.
    void forget_results() {
        y_.assign(y_.size(), std::numeric_limits<float>::quiet_NaN());
        dx_.assign(dx_.size(), std::numeric_limits<float>::quiet_NaN());
    }

private:
    Floats filled(std::uint32_t sequence, Size features) const {
        Floats elements(static_cast<std::size_t>(batch_ * features));
        const snack::MatrixView<float> view(elements.data(), batch_, features, layout_);
        for (Size sample = 0; sample < batch_; ++sample) {
            for (Size feature = 0; feature < features; ++feature) {
                view(sample, feature) = number(sequence, sample * features + feature);
            }
        }
        return elements;
    }

    Size batch_;
    Layout layout_;
    Size in_features_;
    Size out_features_;
    Floats x_;
    Floats dy_;
    Floats y_;
    Floats dx_;
};

}  // namespace bench
