// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How the host backend cuts its work: rows into tasks of equal non-zeros, columns into ranges whose
// activations stay in cache.

#include <snack/backends/host/activations.hpp>
#include <snack/backends/host/plan.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/split.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::detail::host {

/// Bytes that random accesses should stay within: half of a second-level cache of 1 MiB, and half of
/// that where the columns can be taken in parts at little cost.
inline constexpr Size near_bytes = 1 << 19;
inline constexpr Size near_bytes_in_parts = near_bytes / 2;

/// Entries of an average row from which on to pass over the rows once more costs little.
inline constexpr Size entries_of_long_row = 128;

/// Tasks the rows of a tile are cut into at the most, for threads to take as they come.
inline constexpr Size most_row_tasks = 64;

/// Samples of a full tile.
template <class T>
inline constexpr Size full_tile = kernels::host::tile_samples<T>;

/// How many ranges of columns keep `column_bytes` bytes for each column within `bytes`.
inline Size ranges_within(const HostPlan& plan, Size bytes, Size column_bytes) {
    const Size wanted = plan.topology().in_features() * column_bytes / bytes + 1;
    return smaller(wanted, plan.cuts().ranges());
}

/// Runs body(tile, begin, end) over the rows, for each of `tiles` tiles of `width` samples, in tasks of
/// about equal non-zeros.
template <class Body>
void for_rows(HostContext& ctx, const Topology& topology, Size tiles, Size width, const Body& body) {
    const Size* offsets = topology.row_offsets().data();
    const Size rows = topology.out_features();
    const Size tasks = kernels::host::tasks_for(topology.nnz(), rows, width, most_row_tasks);
    const auto before = [&](Size row) { return offsets[row]; };
    ctx.parallel_for(tiles * tasks, [&](Size task) {
        body(task / tasks, kernels::host::segment_of_task(before, rows, task % tasks, tasks),
             kernels::host::segment_of_task(before, rows, task % tasks + 1, tasks));
    });
}

/// Runs body(begin, end) over samples that are taken one by one.
template <class Body>
void for_samples(HostContext& ctx, const Topology& topology, Size batch, const Body& body) {
    const Size work = topology.nnz() + topology.out_features() + topology.in_features();
    ctx.parallel_ranges(batch, lines_per_task(work), body);
}

}  // namespace snack::inline v0::detail::host
