// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Grows connections uniformly at random among the free cells: Algorithm 2 of the paper as a
// topology update (appendix F). Ranks of free cells are drawn and mapped to cells in one merge, so the
// cost does not depend on how full the matrix is.

#include <snack/concepts/context.hpp>
#include <snack/core/random.hpp>
#include <snack/init/sample.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// Every set of free cells of the wanted count is equally likely.
struct UniformGrower {
    /// `count` cells without an entry in `topology`, ascending. O(nnz + count) time, O(count) memory.
    /// @throws ArgumentError if fewer than `count` cells are free
    template <class Context>
    Buffer<Size> select(Context& ctx, const Topology& topology, Size count, const RandomKey& key) const {
        Buffer<Size> cells = sample_without_replacement(key, topology.free_cells(), count, ctx.allocator());
        Size next = 0;  // rank of a free cell on entry, its cell on exit
        for_each_entry(topology, [&](Size entry, Index row, Index column) {
            // The entry at `cell` has cell - entry free cells before it.
            const Size cell = cell_index(row, column, topology.in_features());
            for (; next < count && cells[next] < cell - entry; ++next) {
                cells[next] += entry;
            }
        });
        for (; next < count; ++next) {
            cells[next] += topology.nnz();
        }
        return cells;
    }
};

}  // namespace snack::inline v0
