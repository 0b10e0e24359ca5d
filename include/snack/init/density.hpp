// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How a network's budget of connections is shared among its layers: the same density everywhere,
// or Erdos-Renyi (Mocanu et al. 2018; for linear layers the same as ERK, Evci et al. 2020), which
// gives a layer eps (out + in) connections and so keeps small layers dense.

#include <span>
#include <vector>

#include <snack/core/error.hpp>
#include <snack/core/math.hpp>
#include <snack/init/uniform_topology.hpp>

namespace snack::inline v0 {

/// One layer of a network whose budget is shared out.
struct LayerShape {
    Size out_features = 0;
    Size in_features = 0;
    bool dense = false;  ///< keep every connection of this layer
};

namespace detail {

/// Rounds each count so that the total is exact: the largest remainders are rounded up, ties by
/// position, and no layer passes its cells.
inline std::vector<Size> round_to_total(const std::vector<double>& counts, std::span<const LayerShape> layers,
                                        Size total) {
    std::vector<Size> rounded(counts.size());
    std::vector<bool> raised(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        rounded[i] = static_cast<Size>(math::floor(counts[i]));
        total -= rounded[i];
    }
    for (; total > 0; --total) {
        std::size_t best = counts.size();
        double best_remainder = -1;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const double remainder = counts[i] - math::floor(counts[i]);
            const Size cells = layers.data()[i].out_features * layers.data()[i].in_features;
            if (!raised[i] && rounded[i] < cells && remainder > best_remainder) {
                best = i;
                best_remainder = remainder;
            }
        }
        if (best == counts.size()) {
            break;
        }
        raised[best] = true;
        ++rounded[best];
    }
    return rounded;
}

}  // namespace detail

/// Entries of each layer under Erdos-Renyi densities, for a network of the given sparsity overall.
///
/// A layer gets eps (out + in) entries; the densest layer beyond 1 is made dense and eps is
/// computed again. The counts add up to round((1 - sparsity) * cells of all layers), exactly
/// for networks of up to 2^53 cells.
/// O(layers^2) time.
/// @throws ArgumentError for a sparsity outside [0, 1], or when the layers marked dense alone
///         exceed the budget; ShapeError for a bad extent
inline std::vector<Size> erdos_renyi_entries(std::span<const LayerShape> layers, double sparsity) {
    constexpr const char* where = "erdos_renyi_entries";
    Size cells = 0;
    std::vector<bool> dense;
    for (const LayerShape& layer : layers) {
        detail::check_features(where, layer.out_features, layer.in_features);
        require<ShapeError>(!__builtin_add_overflow(cells, layer.out_features * layer.in_features, &cells), where,
                            "the layers have more than 2^63 cells");
        dense.push_back(layer.dense || layer.out_features == 0 || layer.in_features == 0);
    }
    const Size total = detail::entries_of_cells(where, cells, sparsity);
    std::vector<double> counts(layers.size());
    for (bool settled = false; !settled;) {
        Size budget = total;
        Size perimeter = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const LayerShape& layer = layers.data()[i];
            budget -= dense[i] ? layer.out_features * layer.in_features : 0;
            perimeter += dense[i] ? 0 : layer.out_features + layer.in_features;
        }
        require<ArgumentError>(budget >= 0, where, "the dense layers need ", total - budget, " entries, sparsity ",
                               sparsity, " leaves ", total);
        const double eps = perimeter == 0 ? 0 : static_cast<double>(budget) / static_cast<double>(perimeter);
        double densest = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto [out, in, forced] = layers.data()[i];
            counts[i] = dense[i] ? static_cast<double>(out * in) : eps * static_cast<double>(out + in);
            if (!dense[i]) {
                const double density = counts[i] / static_cast<double>(out * in);
                densest = density > densest ? density : densest;
            }
        }
        settled = densest <= 1;
        for (std::size_t i = 0; i < layers.size() && !settled; ++i) {
            const double layer_cells =
                static_cast<double>(layers.data()[i].out_features * layers.data()[i].in_features);
            if (!dense[i] && counts[i] / layer_cells == densest) {
                dense[i] = true;
            }
        }
    }
    return detail::round_to_total(counts, layers, total);
}

/// Entries of each layer when all have the same density; each rounded to nearest.
/// Layers marked dense keep every connection and do not change the others.
/// @throws as erdos_renyi_entries
inline std::vector<Size> uniform_entries(std::span<const LayerShape> layers, double sparsity) {
    detail::entries_of_cells("uniform_entries", 0, sparsity);  // refuses nonsense whatever the layers
    std::vector<Size> counts;
    for (const LayerShape& layer : layers) {
        counts.push_back(entries_for_sparsity(layer.out_features, layer.in_features, layer.dense ? 0 : sparsity));
    }
    return counts;
}

}  // namespace snack::inline v0
