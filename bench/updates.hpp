// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What happens to a layer besides its products: making it, topology, values and plan together,
// and rewiring it. Peers have neither, so `Host` stands alone here.

#include <cmath>
#include <memory>

#include <bench/measurements.hpp>
#include <snack/backends/host.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/nn/sparse_linear.hpp>

namespace bench {

using HostLayer = snack::SparseLinear<snack::Host, float>;

inline constexpr double rewired_fraction = 0.3;

/// Whether the rewire dropped the share it should, and what it kept went along bit for bit.
inline bool rewires_rightly(snack::HostContext& ctx, HostLayer layer) {
    const std::vector<float> before(layer.values().begin(), layer.values().end());
    const auto report = layer.rewire(ctx, snack::MagnitudePruner{rewired_fraction}, snack::UniformGrower{});
    const Size wanted = std::llround(rewired_fraction * static_cast<double>(layer.nnz()));
    bool right = report.dropped() == wanted && report.grown() == wanted;
    float largest_dropped = 0;
    float smallest_kept = 2;
    for (std::size_t e = 0; e < before.size(); ++e) {
        const Size now = report.old_to_new().data()[e];
        right = right && (now < 0 || layer.values().data()[now] == before[e]);
        float& bound = now < 0 ? largest_dropped : smallest_kept;
        bound = now < 0 ? std::fmax(bound, std::fabs(before[e])) : std::fmin(bound, std::fabs(before[e]));
    }
    return right && largest_dropped <= smallest_kept;
}

/// A layer as it is made: as many entries as asked for, values within the initialiser's bound.
inline bool is_made_rightly(const HostLayer& layer, double sparsity) {
    const snack::Topology& topology = *layer.topology();
    bool right = layer.nnz() == snack::entries_for_sparsity(layer.out_features(), layer.in_features(), sparsity);
    snack::for_each_entry(topology, [&](Size entry, Index row, Index) {
        const Size fan_in = topology.row_offsets()[static_cast<std::size_t>(row) + 1] -
                            topology.row_offsets()[static_cast<std::size_t>(row)];
        const float value = layer.values().data()[entry];
        right = right && value != 0 && value * value * static_cast<float>(fan_in) <= 6.0001f;
    });
    return right;
}

/// Rows `initialiser` and `rewire` of a square layer.
inline void run_updates(Measurements& measurements, Size features, double sparsity, int threads) {
    Label label{.operation = "initialiser",
                .backend = snack::Host::name,
                .out_features = features,
                .in_features = features,
                .sparsity = sparsity,
                .threads = threads};
    auto ctx = std::make_shared<snack::HostContext>(snack::HostContext::Options{.threads = threads});
    const snack::LayerOptions options{
        .in_features = features, .out_features = features, .sparsity = sparsity, .seed = 2026};
    std::shared_ptr<HostLayer> layer;
    std::vector<Row> group;
    for (const bool rewires : {false, true}) {
        label.operation = rewires ? "rewire" : "initialiser";
        if (!measurements.wants(label)) {
            continue;
        }
        Row row{.label = label};
        const auto make = [ctx, options] { return HostLayer(*ctx, options); };
        row.call_seconds = seconds_of([&] { layer = std::make_shared<HostLayer>(make()); });
        row.memory_bytes = layer->memory().total();
        if (rewires ? !rewires_rightly(*ctx, *layer) : !is_made_rightly(*layer, sparsity)) {
            row.note = "wrong: another topology or other values than promised";
            measurements.count_fault();
        } else if (rewires) {
            row.call = [ctx, layer] {
                layer->rewire(*ctx, snack::MagnitudePruner{rewired_fraction}, snack::UniformGrower{});
            };
        } else {
            row.call = [make] { benchmark::DoNotOptimize(make().values().data()); };
        }
        group.push_back(std::move(row));
    }
    measurements.run(std::move(group));
}

}  // namespace bench
