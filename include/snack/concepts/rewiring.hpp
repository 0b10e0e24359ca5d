// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a rewiring rule has to supply: a pruner says which entries go, a grower which free cells
// come. The library does the rest (counts, sorting, maps, moving values), and checks what a rule
// returns, so a rule of your own cannot break a layer.

#include <concepts>

#include <snack/core/random.hpp>
#include <snack/core/span.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// `select(ctx, topology, values, limit)` returns the entries to drop: positions in canonical
/// order, ascending, at most `limit` of them.
template <class P, class T, class Context>
concept Pruner = requires(const P& pruner, Context& ctx, const TopologyIn<typename Context::space>& topology,
                          SpanIn<const T, typename Context::space> values, Size limit) {
    { pruner.select(ctx, topology, values, limit) } -> std::same_as<typename Context::template buffer<Size>>;
};

/// `select(ctx, topology, count, key)` returns `count` cells (row * in_features + column),
/// ascending, none of which has an entry in `topology`. The topology is the one before the
/// pruning, so a connection dropped in the same step cannot return.
template <class G, class Context>
concept Grower = requires(const G& grower, Context& ctx, const TopologyIn<typename Context::space>& topology,
                          Size count, const RandomKey& key) {
    { grower.select(ctx, topology, count, key) } -> std::same_as<typename Context::template buffer<Size>>;
};

}  // namespace snack::inline v0
