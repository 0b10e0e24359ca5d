// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The entries of a topology by column: what a backend that owns columns of dx walks along. An index array
// on top of the canonical order; values stay where they are.

#include <cstdint>
#include <utility>

#include <snack/core/span.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// Arrays in a memory space: for each column its entries by ascending row. Positions take 32 bits where nnz
/// does, and 64 otherwise.
template <class Space>
class ColumnOrder {
public:
    /// @param offsets    (in_features + 1) entries before each column
    /// @param rows       (nnz) row of each entry, in column order
    /// @param narrow     (nnz, or empty) its position in canonical order
    /// @param wide       the same in 64 bits, if `narrow` is empty
    ColumnOrder(BufferIn<Size, Space>&& offsets, BufferIn<Index, Space>&& rows, BufferIn<std::uint32_t, Space>&& narrow,
                BufferIn<Size, Space>&& wide)
        : offsets_(std::move(offsets)), rows_(std::move(rows)), narrow_(std::move(narrow)), wide_(std::move(wide)) {}
    ColumnOrder() = default;

    SpanIn<const Size, Space> offsets() const noexcept { return offsets_.span(); }
    SpanIn<const Index, Space> rows() const noexcept { return rows_.span(); }

    /// Calls visit with a pointer to the positions, of whichever width.
    template <class Visit>
    void with_positions(const Visit& visit) const {
        if (wide_.size() > 0) {
            visit(wide_.data());
        } else {
            visit(narrow_.data());
        }
    }

    Size bytes() const noexcept { return offsets_.bytes() + rows_.bytes() + narrow_.bytes() + wide_.bytes(); }

private:
    BufferIn<Size, Space> offsets_;
    BufferIn<Index, Space> rows_;
    BufferIn<std::uint32_t, Space> narrow_;
    BufferIn<Size, Space> wide_;
};

/// Positions below this many entries take 32 bits.
inline constexpr Size narrow_positions = Size{1} << 32;

/// The column order of a topology on the host, by counting. O(nnz + in_features) time and memory.
template <class Context>
requires std::is_same_v<typename Context::space, HostSpace> ColumnOrder<HostSpace> column_order(
    Context& ctx, const Topology& topology, Size narrow_below = narrow_positions) {
    const Size nnz = topology.nnz();
    const bool narrow = nnz < narrow_below;
    Buffer<Size> offsets(topology.in_features() + 1, 0, ctx.allocator());
    Buffer<Index> rows(nnz, ctx.allocator());
    Buffer<std::uint32_t> narrow_entries(narrow ? nnz : 0, ctx.allocator());
    Buffer<Size> wide_entries(narrow ? 0 : nnz, ctx.allocator());
    for (const Index column : topology.columns()) {
        ++offsets[column + 1];
    }
    for (Size column = 0; column < topology.in_features(); ++column) {
        offsets[column + 1] += offsets[column];
    }
    Buffer<Size> next = offsets.clone();
    for_each_entry(topology, [&](Size entry, Index row, Index column) {
        const Size to = next[column]++;
        rows[to] = row;
        if (narrow) {
            narrow_entries[to] = static_cast<std::uint32_t>(entry);
        } else {
            wide_entries[to] = entry;
        }
    });
    return {std::move(offsets), std::move(rows), std::move(narrow_entries), std::move(wide_entries)};
}

}  // namespace snack::inline v0
