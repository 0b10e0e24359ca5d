// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the `Host` backend precomputes from a topology: narrow columns, where rows pass a few columns,
// and for training an order by columns. It holds no values, so nothing has to be refreshed when they change.

#include <memory>
#include <utility>

#include <snack/backends/host/column_blocks.hpp>
#include <snack/backends/host/column_cuts.hpp>
#include <snack/backends/host/narrow_array.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// Immutable; shares the topology. At most 2.5 bytes per non-zero where in_features is at most 65,536, and 4.5
/// otherwise, and 520 bytes. For training 3 to 4 more, and at most 4.8, where blocks of up to 256 rows and 65,536
/// entries have three entries or more in an average column, and less than three in four cells; they serve batches from
/// a full tile on, and take 10 to 17 ns per non-zero to make. Made in O(nnz + out_features + in_features) time, and as
/// much memory as in_features counters a thread for a while.
class HostPlan {
public:
    HostPlan(HostContext& ctx, TopologyPtr topology, PlanUse use)
        : topology_(std::move(topology)),
          use_(use),
          columns_(topology_->nnz(), topology_->in_features(), ctx.allocator()),
          cuts_(ctx, *topology_) {
        columns_.visit([&]<class Column>(Column* columns) {
            const Index* from = topology_->columns().data();
            ctx.parallel_ranges(topology_->nnz(), 1 << 16, [&](Size begin, Size end) {
                for (Size e = begin; e < end; ++e) {
                    columns[e] = static_cast<Column>(from[e]);
                }
            });
        });
        if (use == PlanUse::training) {
            blocks_ = detail::host::ColumnBlocks(ctx, *topology_, cuts_);
        }
    }

    const Topology& topology() const { return *topology_; }
    std::uint64_t topology_version() const { return topology_->version(); }
    PlanUse use() const { return use_; }
    Size bytes() const { return columns_.bytes() + cuts_.bytes() + blocks_.bytes(); }
    const detail::host::ColumnCuts& cuts() const { return cuts_; }
    /// None for inference.
    const detail::host::ColumnBlocks& blocks() const { return blocks_; }

    /// The columns are shared out to `parts` parts, at most cuts().ranges(): the first column of one, and
    /// its entries of each row.
    Size first_column(Size part, Size parts) const { return cuts_.first_column(cuts_.ranges() * part / parts); }
    kernels::host::RowSegments segments(Size part, Size parts) const {
        return cuts_.segments(*topology_, cuts_.ranges() * part / parts, cuts_.ranges() * (part + 1) / parts);
    }

    /// Calls visit(const Column* columns), nnz elements in canonical order.
    template <class Visit>
    void with_columns(const Visit& visit) const {
        columns_.visit(visit);
    }

private:
    TopologyPtr topology_;
    PlanUse use_;
    detail::host::NarrowArray columns_;
    detail::host::ColumnCuts cuts_;
    detail::host::ColumnBlocks blocks_;
};

}  // namespace snack::inline v0
