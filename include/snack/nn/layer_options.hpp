// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a caller chooses about a layer, and what a layer tells about its memory.

#include <optional>

#include <snack/core/scalar.hpp>
#include <snack/core/span.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// A layer made from the caller's own matrix: what is not in the matrix.
struct MatrixLayerOptions {
    std::uint64_t seed = 0;           ///< for the connections that rewires grow
    std::uint32_t stream = 0;         ///< give each layer of a network its own
    std::uint32_t rewire_count = 0;   ///< continue a saved layer's sequence of rewires
    PlanUse use = PlanUse::training;  ///< an inference layer holds neither gradients nor a backward plan
};

/// A layer with a uniformly random topology.
struct LayerOptions {
    Size in_features = -1;                          ///< must be given; 0 is a legal extent
    Size out_features = -1;                         ///< must be given
    std::optional<double> sparsity = std::nullopt;  ///< share of cells without a connection, 0 to 1
    std::optional<Size> nnz = std::nullopt;         ///< or the number of connections: one of both must be given
    bool bias = true;
    std::uint64_t seed = 0;           ///< same seed, same network
    std::uint32_t stream = 0;         ///< give each layer of a network its own
    PlanUse use = PlanUse::training;  ///< an inference layer holds neither gradients nor a backward plan
};

/// Memory of a caller that a layer's parameters shall live in; see SparseLinear::bind.
template <Scalar T, class Space = HostSpace>
struct ParameterSpans {
    SpanIn<T, Space> values = {};
    SpanIn<T, Space> gradients = {};
    SpanIn<T, Space> bias = {};
    SpanIn<T, Space> bias_gradients = {};
};

/// Bytes a layer holds, by what for. Parameters in lent memory count too.
struct MemoryReport {
    Size values = 0;
    Size gradients = 0;
    Size bias = 0;
    Size bias_gradients = 0;
    Size topology = 0;  ///< the coordinates; shared with copies of the layer and with reports
    Size plan = 0;      ///< what the backend precomputed

    Size total() const { return values + gradients + bias + bias_gradients + topology + plan; }
};

}  // namespace snack::inline v0
