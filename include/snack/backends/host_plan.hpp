// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the `Host` backend precomputes from a topology: narrow columns for the forward pass and,
// for training, the column order of the backward pass. It holds no values, so nothing has to be
// refreshed when they change.

#include <memory>
#include <utility>

#include <snack/backends/host_column_order.hpp>
#include <snack/backends/narrow_array.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// Immutable; shares the topology. About 2 bytes per non-zero for inference and 6 for training
/// where in_features is at most 65,536.
class HostPlan {
public:
    HostPlan(HostContext& ctx, TopologyPtr topology, PlanUse use)
        : topology_(std::move(topology)),
          use_(use),
          columns_(topology_->nnz(), topology_->in_features(), ctx.allocator()) {
        columns_.visit([&]<class Column>(Column* columns) {
            const Index* from = topology_->columns().data();
            for (Size e = 0; e < topology_->nnz(); ++e) {
                columns[e] = static_cast<Column>(from[e]);
            }
        });
        if (use == PlanUse::training) {
            column_order_ = detail::HostColumnOrder(ctx, *topology_);
        }
    }

    const Topology& topology() const { return *topology_; }
    std::uint64_t topology_version() const { return topology_->version(); }
    PlanUse use() const { return use_; }
    Size bytes() const { return columns_.bytes() + column_order_.bytes(); }

    /// Calls visit(const Column* columns), nnz elements in canonical order.
    template <class Visit>
    void with_columns(const Visit& visit) const {
        columns_.visit(visit);
    }

    /// Meaningful only if use() is training.
    const detail::HostColumnOrder& column_order() const { return column_order_; }

private:
    TopologyPtr topology_;
    PlanUse use_;
    detail::NarrowArray columns_;
    detail::HostColumnOrder column_order_;
};

}  // namespace snack::inline v0
