// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Grows connections uniformly at random among the free cells: Algorithm 2 of the paper as a
// topology update (appendix F). Ranks of free cells are drawn and mapped to cells in one merge, so the
// cost does not depend on how full the matrix is.

#include <snack/concepts/context.hpp>
#include <snack/core/random.hpp>
#include <snack/init/sample.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// From ranks of free cells, ascending, to the cells themselves (row * in_features + column), in place.
/// O(nnz + ranks) time.
inline void ranks_to_free_cells(HostContext&, const Topology& topology, Buffer<Size>& ranks) {
    const Size count = ranks.size();
    Size next = 0;  // rank of a free cell on entry, its cell on exit
    for_each_entry(topology, [&](Size entry, Index row, Index column) {
        // The entry at `cell` has cell - entry free cells before it.
        const Size cell = cell_index(row, column, topology.in_features());
        for (; next < count && ranks[next] < cell - entry; ++next) {
            ranks[next] += entry;
        }
    });
    for (; next < count; ++next) {
        ranks[next] += topology.nnz();
    }
}

/// Every set of free cells of the wanted count is equally likely.
struct UniformGrower {
    /// `count` cells without an entry in `topology`, ascending. O(nnz + count) time, O(count) memory.
    /// @throws ArgumentError if fewer than `count` cells are free
    template <class Context>
    auto select(Context& ctx, const TopologyIn<typename Context::space>& topology, Size count,
                const RandomKey& key) const {
        auto cells = sample_without_replacement(ctx, key, topology.free_cells(), count);
        ranks_to_free_cells(ctx, topology, cells);
        return cells;
    }
};

}  // namespace snack::inline v0
