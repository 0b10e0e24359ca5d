// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the `Host` backend precomputes from a topology: narrow columns for the forward pass, and
// for training the same entries ordered by column. It holds no values, so nothing has to be
// refreshed when they change.

#include <limits>
#include <span>
#include <utility>
#include <variant>

#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

namespace detail {

/// An array of unsigned integers as narrow as their bound allows.
template <class Narrow, class Wide>
class NarrowArray {
public:
    NarrowArray() = default;
    /// Uninitialised elements that will hold values below `bound`.
    NarrowArray(Size size, Size bound, Allocator* allocator) {
        if (bound - 1 <= static_cast<Size>(std::numeric_limits<Narrow>::max())) {
            array_ = Buffer<Narrow>(size, allocator);
        } else {
            array_ = Buffer<Wide>(size, allocator);
        }
    }
    /// Calls visit with the buffer that is in use.
    template <class Visit>
    decltype(auto) visit(const Visit& visit) {
        return std::visit(visit, array_);
    }
    template <class Visit>
    decltype(auto) visit(const Visit& visit) const {
        return std::visit(visit, array_);
    }
    Size bytes() const {
        return visit([](const auto& buffer) { return buffer.bytes(); });
    }

private:
    std::variant<Buffer<Narrow>, Buffer<Wide>> array_;
};

}  // namespace detail

/// Immutable; shares the topology. 2 bytes per non-zero for inference and 8 for training where a
/// dimension is at most 65,536 and nnz below 2^32, plus 8 (in_features + 1) for training.
class HostPlan {
public:
    HostPlan(HostContext& ctx, TopologyPtr topology, PlanUse use) : topology_(std::move(topology)), use_(use) {
        const Topology& pattern = *topology_;
        columns_ = {pattern.nnz(), pattern.in_features(), ctx.allocator()};
        columns_.visit([&](auto& columns) {
            const Index* from = pattern.columns().data();
            for (Size e = 0; e < columns.size(); ++e) {
                columns[e] = static_cast<std::remove_reference_t<decltype(columns[e])>>(from[e]);
            }
        });
        if (use == PlanUse::training) {
            order_by_column(ctx);
        }
    }

    const Topology& topology() const { return *topology_; }
    std::uint64_t topology_version() const { return topology_->version(); }
    PlanUse use() const { return use_; }
    Size bytes() const { return columns_.bytes() + column_offsets_.bytes() + rows_.bytes() + positions_.bytes(); }

    /// Calls visit(const Column* columns), nnz elements in canonical order.
    template <class Visit>
    void with_columns(const Visit& visit) const {
        columns_.visit([&](const auto& columns) { visit(columns.data()); });
    }

    /// Calls visit(const Row* rows, const Position* positions), nnz elements in column order.
    /// @pre use() is training
    template <class Visit>
    void with_column_order(const Visit& visit) const {
        rows_.visit([&](const auto& rows) {
            positions_.visit([&](const auto& positions) { visit(rows.data(), positions.data()); });
        });
    }

    /// Entries before each column (in_features + 1); empty unless use() is training.
    std::span<const Size> column_offsets() const { return column_offsets_.span(); }

private:
    void order_by_column(HostContext& ctx) {
        const Topology& pattern = *topology_;
        column_offsets_ = Buffer<Size>(pattern.in_features() + 1, 0, ctx.allocator());
        rows_ = {pattern.nnz(), pattern.out_features(), ctx.allocator()};
        positions_ = {pattern.nnz(), pattern.nnz(), ctx.allocator()};
        Buffer<Size> next(pattern.in_features(), ctx.allocator());
        for (const Index column : pattern.columns()) {
            ++column_offsets_[column + 1];
        }
        for (Size column = 0; column < pattern.in_features(); ++column) {
            next[column] = column_offsets_[column];
            column_offsets_[column + 1] += column_offsets_[column];
        }
        rows_.visit([&](auto& rows) {
            positions_.visit([&](auto& positions) {
                using Row = std::remove_reference_t<decltype(rows[0])>;
                using Position = std::remove_reference_t<decltype(positions[0])>;
                for_each_entry(pattern, [&](Size entry, Index row, Index column) {
                    const Size at = next[column]++;
                    rows[at] = static_cast<Row>(row);
                    positions[at] = static_cast<Position>(entry);
                });
            });
        });
    }

    TopologyPtr topology_;
    PlanUse use_;
    detail::NarrowArray<std::uint16_t, std::uint32_t> columns_;
    Buffer<Size> column_offsets_;
    detail::NarrowArray<std::uint16_t, std::uint32_t> rows_;
    detail::NarrowArray<std::uint32_t, std::uint64_t> positions_;
};

}  // namespace snack::inline v0
