// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One topology update on a GPU (paper, appendix F, item iii): the steps of the host's propose_rewire as
// selections, sorts and merges there. The host learns counts; the matrix is never copied to it.

#include <utility>

#include <snack/concepts/rewiring.hpp>
#include <snack/dst/cuda_rewire_report.cuh>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/init/cuda_sample.cuh>

namespace snack::inline v0 {

namespace detail {

/// ranks[e] = magnitude_rank(values[e]), entries[e] = e.
template <class T, class Bits>
struct RankEntry {
    const T* values;
    Bits* ranks;
    Size* entries;

    SNACK_HOST_DEVICE void operator()(Size e) const {
        ranks[e] = magnitude_rank(values[e]);
        entries[e] = e;
    }
};

/// From the rank of a free cell to the cell: entry number e lies after cell(e) - e free cells.
struct FreeCellOfRank {
    const Size* row_offsets;
    const Index* columns;
    Size rows;
    Size in_features;
    Size nnz;
    Size* ranks;

    SNACK_HOST_DEVICE Size cell(Size entry) const {
        const Size row = row_of_entry(row_offsets, rows, entry);
        return row * in_features + columns[entry];
    }
    SNACK_HOST_DEVICE Size entries_before(Size bound) const {
        return partition_point(nnz, [&](Size entry) { return cell(entry) < bound; });
    }
    SNACK_HOST_DEVICE void operator()(Size i) const {
        const Size rank = ranks[i];
        ranks[i] = rank + partition_point(nnz, [&](Size entry) { return cell(entry) - entry <= rank; });
    }
};

/// Puts the survivors of a topology where they belong among grown cells, and writes both maps.
struct PlaceSurvivor {
    FreeCellOfRank before;  // for its cells
    const Size* dropped;
    Size dropped_count;
    const Size* grown;
    Size grown_count;
    Size* cells;
    Size* new_to_old;
    Size* old_to_new;

    SNACK_HOST_DEVICE void operator()(Size entry) const {
        const Size drops = lower_bound(dropped, dropped_count, entry);
        if (drops < dropped_count && dropped[drops] == entry) {
            old_to_new[entry] = -1;
            return;
        }
        const Size cell = before.cell(entry);
        const Size to = entry - drops + lower_bound(grown, grown_count, cell);
        cells[to] = cell;
        new_to_old[to] = entry;
        old_to_new[entry] = to;
    }
};

/// The same for the grown cells.
struct PlaceGrown {
    FreeCellOfRank before;
    const Size* dropped;
    Size dropped_count;
    const Size* grown;
    Size* cells;
    Size* new_to_old;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const Size entries = before.entries_before(grown[i]);
        const Size to = i + entries - lower_bound(dropped, dropped_count, entries);
        cells[to] = grown[i];
        new_to_old[to] = -1;
    }
};

/// Whether grown cell number i has an entry.
struct CellIsTaken {
    FreeCellOfRank before;
    const Size* grown;

    SNACK_HOST_DEVICE bool operator()(Size i) const {
        const Size entry = before.entries_before(grown[i]);
        return entry < before.nnz && before.cell(entry) == grown[i];
    }
};

inline FreeCellOfRank cells_of(const CudaTopology& topology, Size* ranks = nullptr) {
    return {topology.row_offsets().data(),
            topology.columns().data(),
            topology.out_features(),
            topology.in_features(),
            topology.nnz(),
            ranks};
}

/// Whether numbers ascend strictly within [0, bound).
inline bool ascends_within(CudaContext& ctx, const DeviceBuffer<Size>& numbers, Size bound) {
    return find_first(ctx, numbers.size(), WrongCell{numbers.data(), bound}) == numbers.size();
}

/// Merges the survivors of `before` with the grown cells, both in canonical order.
inline CudaRewireReport merge_topology(CudaContext& ctx, const CudaTopologyPtr& before,
                                       const DeviceBuffer<Size>& dropped, const DeviceBuffer<Size>& grown) {
    const FreeCellOfRank old_cells = cells_of(*before);
    require<TopologyError>(find_first(ctx, grown.size(), CellIsTaken{old_cells, grown.data()}) == grown.size(),
                           "propose_rewire", "the grower returned a cell that has an entry");
    const Size nnz = before->nnz() - dropped.size() + grown.size();
    DeviceBuffer<Size> cells = ctx.allocate<Size>(nnz);
    DeviceBuffer<Size> new_to_old = ctx.allocate<Size>(nnz);
    DeviceBuffer<Size> old_to_new = ctx.allocate<Size>(before->nnz());
    ctx.for_each_index(before->nnz(), PlaceSurvivor{old_cells, dropped.data(), dropped.size(), grown.data(),
                                                    grown.size(), cells.data(), new_to_old.data(), old_to_new.data()});
    ctx.for_each_index(grown.size(), PlaceGrown{old_cells, dropped.data(), dropped.size(), grown.data(), cells.data(),
                                                new_to_old.data()});
    CudaTopologyPtr after =
        dropped.size() == 0
            ? before
            : CudaTopology::from_cells(ctx, before->out_features(), before->in_features(), std::as_const(cells).span());
    return CudaRewireReport(before, std::move(after), std::move(new_to_old), std::move(old_to_new), dropped.size(),
                            grown.size());
}

}  // namespace detail

/// As on the host. O(nnz) asynchronous work, memory for nnz ranks and positions.
template <Scalar T>
DeviceBuffer<Size> smallest_entries(CudaContext& ctx, DeviceSpan<const T> values, Size count) {
    using Bits = decltype(detail::magnitude_rank(T{}));
    const auto nnz = static_cast<Size>(values.size());
    DeviceBuffer<Bits> ranks = ctx.allocate<Bits>(nnz);
    DeviceBuffer<Size> entries = ctx.allocate<Size>(nnz);
    ctx.for_each_index(nnz, detail::RankEntry<T, Bits>{values.data(), ranks.data(), entries.data()});
    detail::sort_pairs(ctx, ranks, entries, static_cast<int>(sizeof(Bits)) * 8);  // stable: ties stay in order
    DeviceBuffer<Size> smallest = ctx.allocate<Size>(count);
    ctx.copy(std::as_const(entries).span(), smallest.span());
    detail::sort_keys(ctx, smallest, nnz);
    return smallest;
}

/// As on the host. O(ranks log nnz log out_features) asynchronous work, no memory.
inline void ranks_to_free_cells(CudaContext& ctx, const CudaTopology& topology, DeviceBuffer<Size>& ranks) {
    ctx.for_each_index(ranks.size(), detail::cells_of(topology, ranks.data()));
}

/// As on the host: the same entries dropped and cells grown for the same values and key. Waits for the
/// stream a few times; not while it records a graph.
/// @throws UnsupportedError if the stream records a graph, before anything is launched; otherwise as on the
///         host. Nothing is changed in any case.
template <class P, class G, Scalar T>
requires Pruner<P, T, CudaContext> && Grower<G, CudaContext> CudaRewireReport
propose_rewire(CudaContext& ctx, const CudaTopologyPtr& before, DeviceSpan<const T> values, const P& pruner,
               const G& grower, const RandomKey& key) {
    constexpr const char* where = "propose_rewire";
    require<UnsupportedError>(!ctx.capturing(), where, "the stream is recording a graph");
    require<ShapeError>(static_cast<Size>(values.size()) == before->nnz(), where, values.size(), " values for ",
                        before->nnz(), " entries");
    const DeviceBuffer<Size> dropped = pruner.select(ctx, *before, values, before->free_cells());
    require<TopologyError>(
        dropped.size() <= before->free_cells() && detail::ascends_within(ctx, dropped, before->nnz()), where,
        "the pruner must return ascending entries of ", before->nnz(), ", at most ", before->free_cells());
    const DeviceBuffer<Size> grown = grower.select(ctx, *before, dropped.size(), key);
    require<TopologyError>(grown.size() == dropped.size() && detail::ascends_within(ctx, grown, before->cells()), where,
                           "the grower must return ", dropped.size(), " ascending cells of ", before->cells());
    return detail::merge_topology(ctx, before, dropped, grown);
}

}  // namespace snack::inline v0
