// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The data of a table: one sparse matrix on the GPU, and activations in either layout. Every number is a
// function of its position, so all rows of a table, and all runs, compute on the same data. Layers are made
// by the device's own initialisers from the same key, so that nothing waits for loops on the host.

#include <cstdint>
#include <limits>

#include <bench/setting.hpp>
#include <snack/snack.cuh>

namespace bench::gpu {

using snack::CudaContext;
using snack::CudaSpace;
using snack::DeviceBuffer;
using snack::DeviceSpan;
using View = snack::MatrixView<float, CudaSpace>;
using ConstView = snack::MatrixView<const float, CudaSpace>;

inline constexpr std::uint64_t seed = 2026;

/// The weights: zero-mean in (-1, 1).
struct UniformValues {
    SNACK_HOST_DEVICE double operator()(const snack::RandomKey& key, const snack::Connection& at) const {
        return snack::symmetric_uniform(snack::random_bits(key, static_cast<std::uint64_t>(at.entry)), 1);
    }
};

/// Element (sample, feature) is number sample * features + feature of a sequence of zero-mean numbers in (-1, 1).
struct FillActivations {
    snack::kernels::gpu::Activations<float> to;
    Size features;
    std::uint32_t sequence;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const snack::RandomKey key{seed, sequence, snack::Purpose::user, 0};
        to(i / features, i % features) =
            static_cast<float>(snack::symmetric_uniform(snack::random_bits(key, static_cast<std::uint64_t>(i)), 1));
    }
};

/// A sparse matrix in canonical order.
struct Problem {
    Size out_features;
    Size in_features;
    double sparsity;
    snack::CudaTopologyPtr topology;
    DeviceBuffer<snack::Index> rows;  // nnz
    DeviceBuffer<float> values;       // nnz

    Problem(CudaContext& ctx, Size out, Size in, double share)
        : out_features(out),
          in_features(in),
          sparsity(share),
          topology(snack::uniform_topology(ctx, out, in, snack::entries_for_sparsity(out, in, share),
                                           {seed, 0, snack::Purpose::topology, 0})),
          rows(ctx.allocate<snack::Index>(topology->nnz())),
          values(ctx.allocate<float>(topology->nnz())) {
        ctx.for_each_index(nnz(), snack::detail::RowOfEntry{topology->row_offsets().data(), out, rows.data()});
        snack::initialize_values(ctx, *topology, UniformValues{}, {seed, 0, snack::Purpose::values, 0}, values.span());
    }

    Size nnz() const { return topology->nnz(); }
    Size cells() const { return topology->cells(); }

    /// What SparseLinear makes the same matrix from.
    snack::LayerOptions layer_options(snack::PlanUse use) const {
        return {.in_features = in_features,
                .out_features = out_features,
                .nnz = nnz(),
                .bias = false,
                .seed = seed,
                .use = use};
    }
};

/// Input, output and their gradients of one batch.
class Operands {
public:
    Operands(CudaContext& ctx, const Problem& problem, Size batch, Layout layout)
        : batch_(batch),
          layout_(layout),
          in_features_(problem.in_features),
          out_features_(problem.out_features),
          x_(ctx.allocate<float>(batch * in_features_)),
          dy_(ctx.allocate<float>(batch * out_features_)),
          y_(ctx.allocate<float>(batch * out_features_)),
          dx_(ctx.allocate<float>(batch * in_features_)) {
        fill(ctx, View(x_.data(), batch, in_features_, layout), 2);
        fill(ctx, View(dy_.data(), batch, out_features_, layout), 3);
    }

    Size batch() const { return batch_; }
    Layout layout() const { return layout_; }

    ConstView x() const { return {x_.data(), batch_, in_features_, layout_}; }
    ConstView dy() const { return {dy_.data(), batch_, out_features_, layout_}; }
    View y() { return {y_.data(), batch_, out_features_, layout_}; }
    View dx() { return {dx_.data(), batch_, in_features_, layout_}; }

    /// So that a result is seen to be written.
    void forget_results(CudaContext& ctx) {
        ctx.fill(y_.span(), std::numeric_limits<float>::quiet_NaN());
        ctx.fill(dx_.span(), std::numeric_limits<float>::quiet_NaN());
    }

private:
    static void fill(CudaContext& ctx, const View& view, std::uint32_t sequence) {
        ctx.for_each_index(view.batch() * view.features(),
                           FillActivations{snack::kernels::gpu::Activations<float>(view), view.features(), sequence});
    }

    Size batch_;
    Layout layout_;
    Size in_features_;
    Size out_features_;
    DeviceBuffer<float> x_;
    DeviceBuffer<float> dy_;
    DeviceBuffer<float> y_;
    DeviceBuffer<float> dx_;
};

}  // namespace bench::gpu
