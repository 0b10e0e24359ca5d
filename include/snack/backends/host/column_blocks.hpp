// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The order in which the host's input gradient walks a topology by columns: blocks of rows by ranges of
// columns, and in each the columns sorted by how many entries they have. An index array on top of the
// canonical order; values stay where they are.

#include <algorithm>
#include <cstdint>

#include <snack/backends/host/column_cuts.hpp>
#include <snack/backends/host/columns_by_count.hpp>
#include <snack/kernels/host/column_walk.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::detail::host {

/// Blocks of rows by the ranges of ColumnCuts. 3 bytes an entry; 2 for each column that has some in a block, which is
/// at most 1 an entry; and for each block and range 24, and 8 for each number of entries that its columns have, which
/// is at most 0.8 an entry. Together 3 to 4 where blocks have many entries, and at most 4.8.
class ColumnBlocks {
public:
    ColumnBlocks() = default;

    /// None where the walk does not pay, or where a block's entries pass 16 bits. Made in O(nnz) time, and with 4 bytes
    /// a thread for each column of the widest range for a while.
    ColumnBlocks(HostContext& ctx, const Topology& topology, const ColumnCuts& cuts)
        : ranges_(cuts.ranges()), rows_(topology.out_features()), rows_of_block_(rows_of_block(topology, cuts)) {
        if (rows_of_block_ > 0) {
            count_ = (rows_ + rows_of_block_ - 1) / rows_of_block_;
            build(ctx, topology, cuts);
        }
    }

    /// How many blocks there are; 0 if there is no such order.
    Size count() const { return count_; }
    /// First row of a block; that of block number count() is out_features.
    Size first_row(Size number) const { return std::min(number * rows_of_block_, rows_); }

    kernels::host::ColumnBlock block(Size number, Size range) const {
        const Place& from = places_[number * ranges_ + range];
        const Place& to = places_[number * ranges_ + range + 1];
        return {runs_.data() + from.run, to.run - from.run, columns_.data() + from.column,
                positions_.data() + from.entry, rows_in_block_.data() + from.entry};
    }

    Size bytes() const {
        return places_.bytes() + runs_.bytes() + columns_.bytes() + positions_.bytes() + rows_in_block_.bytes();
    }

private:
    /// Where a range of a block begins in each array.
    struct Place {
        Size run;
        Size column;
        Size entry;
    };

    /// Entries of an average column in a block, rounded down, from which on the walk pays: it moves a line of dx once
    /// for as many.
    static constexpr Size entries_of_column = 3;
    /// Entries of an average block and range that pay for its place and its runs.
    static constexpr Size entries_of_order = 256;
    static constexpr Size fewest_rows = 32;
    static constexpr Size step_of_rows = 32;
    /// Of a block: positions have 16 bits. With three entries a column, columns fit as well.
    static constexpr Size most_entries = 1 << 16;

    static Size widest_range(const ColumnCuts& cuts) {
        Size widest = 0;
        for (Size range = 0; range < cuts.ranges(); ++range) {
            widest = std::max(widest, cuts.first_column(range + 1) - cuts.first_column(range));
        }
        return widest;
    }

    static bool blocks_fit(const Topology& topology, Size rows_of_each) {
        const Size* const offsets = topology.row_offsets().data();
        const Size rows = topology.out_features();
        for (Size row = 0; row < rows; row += rows_of_each) {
            if (offsets[std::min(row + rows_of_each, rows)] - offsets[row] > most_entries) {
                return false;
            }
        }
        return true;
    }

    /// Three entries in four cells or more: the values of a column lie a row apart then, and where a row takes a
    /// multiple of 4 KiB all of them share a set of the first-level cache.
    static bool nearly_full(const Topology& topology) {
        return topology.nnz() / topology.in_features() >= topology.out_features() - topology.out_features() / 4;
    }

    /// As many as fit; 0 if the walk would not pay.
    static Size rows_of_block(const Topology& topology, const ColumnCuts& cuts) {
        if (topology.nnz() == 0 || nearly_full(topology)) {
            return 0;
        }
        const Size rows = topology.out_features();
        const Size entries = topology.nnz() / topology.in_features();  // of an average column
        for (Size count = std::min(rows, kernels::host::most_rows_of_block);
             count >= fewest_rows && entries * count >= entries_of_column * rows; count -= step_of_rows) {
            const Size blocks = (rows + count - 1) / count;
            if (topology.nnz() >= entries_of_order * blocks * cuts.ranges() && blocks_fit(topology, count)) {
                return count;
            }
        }
        return 0;
    }

    /// Calls visit(order, number of the block * ranges + range) for all, in parallel.
    template <class Visit>
    void for_orders(HostContext& ctx, const Topology& topology, const ColumnCuts& cuts, const Visit& visit) const {
        const Size tasks = std::min<Size>(ctx.threads(), count_);
        const Size numbers = ColumnsByCount::numbers(rows_of_block_, widest_range(cuts));
        Buffer<std::uint32_t> memory(tasks * numbers, ctx.allocator());
        ctx.parallel_for(tasks, [&](Size task) {
            for (Size i = count_ * task / tasks * ranges_; i < count_ * (task + 1) / tasks * ranges_; ++i) {
                const Size row = first_row(i / ranges_);
                const Size range = i % ranges_;
                const Size column = cuts.first_column(range);
                ColumnsByCount order({.segments = cuts.segments(topology, range, range + 1),
                                      .columns = topology.columns().data(),
                                      .first_row = row,
                                      .rows = first_row(i / ranges_ + 1) - row,
                                      .first_column = column,
                                      .width = cuts.first_column(range + 1) - column},
                                     memory.data() + task * numbers);
                visit(order, i);
            }
        });
    }

    void build(HostContext& ctx, const Topology& topology, const ColumnCuts& cuts) {
        const Size orders = count_ * ranges_;
        places_ = Buffer<Place>(orders + 1, ctx.allocator());
        places_[0] = {0, 0, 0};
        for_orders(ctx, topology, cuts, [&](const ColumnsByCount& order, Size i) {
            places_[i + 1] = {order.runs(), order.columns(), order.entries()};
        });
        for (Size i = 0; i < orders; ++i) {
            places_[i + 1].run += places_[i].run;
            places_[i + 1].column += places_[i].column;
            places_[i + 1].entry += places_[i].entry;
        }
        runs_ = Buffer<ColumnRun>(places_[orders].run, ctx.allocator());
        columns_ = Buffer<std::uint16_t>(places_[orders].column, ctx.allocator());
        positions_ = Buffer<std::uint16_t>(places_[orders].entry, ctx.allocator());
        rows_in_block_ = Buffer<std::uint8_t>(places_[orders].entry, ctx.allocator());
        for_orders(ctx, topology, cuts, [&](ColumnsByCount& order, Size i) {
            const Place& at = places_[i];
            order.write(topology.row_offsets()[static_cast<std::size_t>(first_row(i / ranges_))], runs_.data() + at.run,
                        columns_.data() + at.column, positions_.data() + at.entry, rows_in_block_.data() + at.entry);
        });
    }

    Size ranges_ = 0;
    Size rows_ = 0;
    Size rows_of_block_ = 0;
    Size count_ = 0;
    Buffer<Place> places_;  // (blocks, ranges), and the end of the last
    Buffer<ColumnRun> runs_;
    Buffer<std::uint16_t> columns_;       // counted from the range's first
    Buffer<std::uint16_t> positions_;     // nnz, counted from the block's first entry
    Buffer<std::uint8_t> rows_in_block_;  // nnz, counted from the block's first row
};

}  // namespace snack::inline v0::detail::host
