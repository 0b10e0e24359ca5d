// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One topology update: a pruner chooses what goes, a grower what comes, and the result is a new
// canonical topology with the maps between old and new (paper, appendix F, item iii). Nothing of
// size out x in is formed, and nothing is changed: the caller commits the result or drops it.

#include <span>
#include <utility>

#include <snack/concepts/context.hpp>
#include <snack/concepts/rewiring.hpp>
#include <snack/core/scalar.hpp>
#include <snack/dst/rewire_report.hpp>

namespace snack::inline v0 {

namespace detail {

/// Whether numbers ascend strictly within [0, bound).
inline bool ascends_within(std::span<const Size> numbers, Size bound) {
    Size last = -1;
    for (const Size number : numbers) {
        if (number <= last || number >= bound) {
            return false;
        }
        last = number;
    }
    return true;
}

/// Merges the survivors of `before` with the grown cells, both in canonical order.
template <class Context>
RewireReport merge_topology(Context& ctx, const TopologyPtr& before, const Buffer<Size>& dropped,
                            const Buffer<Size>& grown) {
    const Size nnz = before->nnz() - dropped.size() + grown.size();
    Buffer<Size> cells(nnz, ctx.allocator());
    Buffer<Size> new_to_old(nnz, ctx.allocator());
    Buffer<Size> old_to_new(before->nnz(), ctx.allocator());
    Size to = 0;
    Size drop = 0;
    Size grow = 0;
    const auto take_grown_before = [&](Size cell) {
        for (; grow < grown.size() && grown[grow] < cell; ++to) {
            cells[to] = grown[grow++];
            new_to_old[to] = -1;
        }
    };
    for_each_entry(*before, [&](Size entry, Index row, Index column) {
        const Size cell = cell_index(row, column, before->in_features());
        take_grown_before(cell);
        if (grow < grown.size() && grown[grow] == cell) [[unlikely]] {
            fail<TopologyError>("propose_rewire", "the grower returned (", row, ", ", column, "), which has an entry");
        }
        if (drop < dropped.size() && dropped[drop] == entry) {
            old_to_new[entry] = -1;
            ++drop;
            return;
        }
        cells[to] = cell;
        new_to_old[to] = entry;
        old_to_new[entry] = to++;
    });
    take_grown_before(before->cells());
    TopologyPtr after = dropped.size() == 0 ? before
                                            : Topology::from_cells(before->out_features(), before->in_features(),
                                                                   std::as_const(cells).span(), ctx.allocator());
    return RewireReport(before, std::move(after), std::move(new_to_old), std::move(old_to_new), dropped.size(),
                        grown.size());
}

}  // namespace detail

/// Prunes and regrows as many connections: nnz stays, coordinates stay unique and sorted.
///
/// At most as many are dropped as cells are free, so a full matrix is left alone; the report says
/// how many it was. A connection that is dropped cannot return in the same step. If nothing is
/// dropped the report's topology is the old one.
/// O(nnz) time and memory.
/// @throws ShapeError unless values holds nnz elements; TopologyError if a rule returns entries or
///         cells that are not its to return; whatever the rules throw. Nothing is changed in any case.
template <class Context, class P, class G, Scalar T>
requires Pruner<P, T, Context> && Grower<G, Context> RewireReport propose_rewire(Context& ctx,
                                                                                 const TopologyPtr& before,
                                                                                 std::span<const T> values,
                                                                                 const P& pruner, const G& grower,
                                                                                 const RandomKey& key) {
    require<ShapeError>(static_cast<Size>(values.size()) == before->nnz(), "propose_rewire", values.size(),
                        " values for ", before->nnz(), " entries");
    const Buffer<Size> dropped = pruner.select(ctx, *before, values, before->free_cells());
    require<TopologyError>(
        dropped.size() <= before->free_cells() && detail::ascends_within(dropped.span(), before->nnz()),
        "propose_rewire", "the pruner must return ascending entries of ", before->nnz(), ", at most ",
        before->free_cells());
    const Buffer<Size> grown = grower.select(ctx, *before, dropped.size(), key);
    require<TopologyError>(grown.size() == dropped.size() && detail::ascends_within(grown.span(), before->cells()),
                           "propose_rewire", "the grower must return ", dropped.size(), " ascending cells of ",
                           before->cells());
    return detail::merge_topology(ctx, before, dropped, grown);
}

}  // namespace snack::inline v0
