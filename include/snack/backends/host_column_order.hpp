// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The entries of a topology in the order the host's backward pass visits them: blocks of rows,
// and by column within a block. Positions are local to a block, so most fit 16 bits, and the
// values and gradients of a block fit the second-level cache however they are visited.

#include <cstdint>

#include <snack/backends/narrow_array.hpp>
#include <snack/kernels/host/column_walk.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::detail {

/// 4 bytes per non-zero where rows have at most 4,096 entries and blocks at most 65,536 rows,
/// 4 (in_features + 1) per block, and 8 (in_features + 1).
class HostColumnOrder {
public:
    HostColumnOrder() = default;

    HostColumnOrder(HostContext& ctx, const Topology& topology) : in_features_(topology.in_features()) {
        cut_into_blocks(ctx, topology);
        Size most_rows = 0;
        Size most_entries = 0;
        for (Size block = 0; block < blocks(); ++block) {
            most_rows = larger(most_rows, rows_begin_[block + 1] - rows_begin_[block]);
            most_entries = larger(most_entries, entries_begin_[block + 1] - entries_begin_[block]);
        }
        rows_ = {topology.nnz(), most_rows, ctx.allocator()};
        positions_ = {topology.nnz(), most_entries, ctx.allocator()};
        column_offsets_ = Buffer<std::uint32_t>(blocks() * (in_features_ + 1), 0, ctx.allocator());
        rows_.visit([&](auto* rows) {
            positions_.visit([&](auto* positions) {
                for (Size block = 0; block < blocks(); ++block) {
                    sort_block(topology, block, rows + entries_begin_[block], positions + entries_begin_[block]);
                }
            });
        });
        entries_before_ = Buffer<Size>(in_features_ + 1, 0, ctx.allocator());
        for (Size block = 0; block < blocks(); ++block) {
            for (Size column = 0; column <= in_features_; ++column) {
                entries_before_[column] += column_offsets_[block * (in_features_ + 1) + column];
            }
        }
    }

    Size blocks() const { return rows_begin_.size() - 1; }

    /// Entries in columns below `column`, over all blocks.
    Size entries_before(Size column) const { return entries_before_[column]; }

    /// Calls visit with a function that gives the kernels::ColumnBlock of a block.
    template <class Visit>
    void with_blocks(const Visit& visit) const {
        rows_.visit([&]<class Row>(const Row* rows) {
            positions_.visit([&]<class Position>(const Position* positions) {
                visit([&, rows, positions](Size block) {
                    const Size first = entries_begin_[block];
                    return kernels::ColumnBlock<Row, Position>{column_offsets_.data() + block * (in_features_ + 1),
                                                               rows + first,
                                                               positions + first,
                                                               rows_begin_[block],
                                                               first,
                                                               block == 0};
                });
            });
        });
    }

    Size bytes() const {
        return rows_begin_.bytes() + entries_begin_.bytes() + column_offsets_.bytes() + entries_before_.bytes() +
               rows_.bytes() + positions_.bytes();
    }

private:
    /// Values and gradients of a block, 8 bytes an entry in float, take half of a 1 MiB cache. Blocks
    /// end with a row, so some room is left for the rest of one: positions then fit 16 bits.
    static constexpr Size block_entries = (1 << 16) - (1 << 12);
    /// Fewer entries than this for each column of a block would not pay for walking its columns.
    static constexpr Size entries_per_column = 4;

    static Size larger(Size a, Size b) { return a > b ? a : b; }

    void cut_into_blocks(HostContext& ctx, const Topology& topology) {
        const Size* offsets = topology.row_offsets().data();
        const Size nnz = topology.nnz();
        const Size by_cache = nnz / block_entries + 1;
        const Size by_columns = nnz / (entries_per_column * (in_features_ + 1)) + 1;
        const Size by_width = nnz / (Size{1} << 31) + 1;  // positions have at most 32 bits
        const Size count = larger(by_cache < by_columns ? by_cache : by_columns, by_width);
        rows_begin_ = Buffer<Size>(count + 1, ctx.allocator());
        entries_begin_ = Buffer<Size>(count + 1, ctx.allocator());
        Size row = 0;
        for (Size block = 0; block <= count; ++block) {
            const Size share = nnz / count * block + nnz % count * block / count;
            while (row < topology.out_features() && (block == count || offsets[row + 1] <= share)) {
                ++row;
            }
            rows_begin_[block] = block == 0 ? 0 : row;
            entries_begin_[block] = offsets[rows_begin_[block]];
        }
    }

    /// Counting sort of one block by column; stable, so rows ascend within a column.
    template <class Row, class Position>
    void sort_block(const Topology& topology, Size block, Row* rows, Position* positions) {
        std::uint32_t* const offsets = column_offsets_.data() + block * (in_features_ + 1);
        const Index* const columns = topology.columns().data();
        const Size first = entries_begin_[block];
        const Size last = entries_begin_[block + 1];
        // offsets[column + 1] counts first, then is where the column's next entry goes, and ends as
        // where the column ends.
        for (Size e = first; e < last; ++e) {
            ++offsets[columns[e] + 1];
        }
        std::uint32_t before = 0;
        for (Size column = 0; column < in_features_; ++column) {
            const std::uint32_t count = offsets[column + 1];
            offsets[column + 1] = before;
            before += count;
        }
        const Size* const row_offsets = topology.row_offsets().data();
        for (Size row = rows_begin_[block]; row < rows_begin_[block + 1]; ++row) {
            for (Size e = row_offsets[row]; e < row_offsets[row + 1]; ++e) {
                const std::uint32_t at = offsets[columns[e] + 1]++;
                rows[at] = static_cast<Row>(row - rows_begin_[block]);
                positions[at] = static_cast<Position>(e - first);
            }
        }
    }

    Size in_features_ = 0;
    Buffer<Size> rows_begin_;               // first row of each block (blocks + 1)
    Buffer<Size> entries_begin_;            // first entry of each block (blocks + 1)
    Buffer<std::uint32_t> column_offsets_;  // (blocks, in_features + 1)
    Buffer<Size> entries_before_;           // in_features + 1, over all blocks
    NarrowArray rows_;                      // nnz
    NarrowArray positions_;                 // nnz
};

}  // namespace snack::inline v0::detail
