// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where each row of a topology passes a few columns. The host's backward pass shares the columns
// out to threads there, and passes over wide inputs take a range at a time that fits the cache.

#include <cstdint>

#include <snack/kernels/host/row_segments.hpp>
#include <snack/kernels/host/split.hpp>
#include <snack/memory/grain.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::detail::host {

/// Ranges of columns with about equal entries; at most 0.5 bytes per non-zero.
class ColumnCuts {
public:
    ColumnCuts(HostContext& ctx, const Topology& topology) {
        const Size rows = topology.out_features();
        ranges_ = ranges_for(topology);
        first_columns_ = Buffer<Size>(ranges_ + 1, ctx.allocator());
        place(ctx, topology);
        cuts_ = Buffer<std::uint32_t>((ranges_ - 1) * rows, ctx.allocator());
        const Size* const offsets = topology.row_offsets().data();
        const Index* const columns = topology.columns().data();
        ctx.parallel_ranges(rows, rows_per_task(topology), [&](Size begin, Size end) {
            for (Size row = begin; row < end; ++row) {
                Size e = offsets[row];
                for (Size cut = 1; cut < ranges_; ++cut) {
                    while (e < offsets[row + 1] && columns[e] < first_columns_[cut]) {
                        ++e;
                    }
                    cuts_[(cut - 1) * rows + row] = static_cast<std::uint32_t>(e - offsets[row]);
                }
            }
        });
    }

    /// How many ranges there are; at least 1.
    Size ranges() const { return ranges_; }

    /// First column of a range; that of range number ranges() is in_features.
    Size first_column(Size range) const { return first_columns_[range]; }

    /// The entries of each row in ranges [begin, end).
    kernels::host::RowSegments segments(const Topology& topology, Size begin, Size end) const {
        const Size rows = topology.out_features();
        return {topology.row_offsets().data(), begin == 0 ? nullptr : cuts_.data() + (begin - 1) * rows,
                end == ranges_ ? nullptr : cuts_.data() + (end - 1) * rows};
    }

    Size bytes() const { return first_columns_.bytes() + cuts_.bytes(); }

private:
    static constexpr Size most_ranges = 64;
    /// Entries of an average row that a range should have: with fewer, walking rows would cost more
    /// than the entries do.
    static constexpr Size entries_per_segment = 8;

    /// A power of two, so that the ranges can be shared out evenly.
    static Size ranges_for(const Topology& topology) {
        const Size rows = topology.out_features();
        const Size wanted = rows == 0 ? 1 : topology.nnz() / rows / entries_per_segment;
        Size ranges = 1;
        while (ranges * 2 <= wanted && ranges < most_ranges) {
            ranges *= 2;
        }
        return ranges;
    }

    static Size rows_per_task(const Topology& topology) {
        return lines_per_task(topology.nnz() / (topology.out_features() + 1));
    }

    void place(HostContext& ctx, const Topology& topology) {
        const Size columns = topology.in_features();
        if (ranges_ == 1) {
            first_columns_[0] = 0;
            first_columns_[1] = columns;
            return;
        }
        Buffer<Size> before(columns + 1, 0, ctx.allocator());
        for (const Index column : topology.columns()) {
            ++before[column + 1];
        }
        for (Size column = 0; column < columns; ++column) {
            before[column + 1] += before[column];
        }
        for (Size range = 0; range <= ranges_; ++range) {
            first_columns_[range] =
                kernels::host::segment_of_task([&](Size column) { return before[column]; }, columns, range, ranges_);
        }
    }

    Size ranges_ = 1;
    Buffer<Size> first_columns_;  // ranges + 1
    Buffer<std::uint32_t> cuts_;  // (ranges - 1, out_features): entries of the row before each range but the first
};

}  // namespace snack::inline v0::detail::host
