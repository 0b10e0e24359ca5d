// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which connections exist: the support of W, without values (paper, section 3: the pair Ar, Ac).
// Immutable and versioned: layers, plans and reports share one by pointer, and an optimiser or a
// report that belongs to another is recognised. Rows are stored as offsets and expanded on request.

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/memory/buffer.hpp>
#include <snack/sparse/cell_steps.hpp>

namespace snack::inline v0 {

namespace detail {

/// A number no other call in this process returns.
inline std::uint64_t next_unique_id() {
    static std::atomic<std::uint64_t> counter{0};
    return counter.fetch_add(1, std::memory_order_relaxed) + 1;
}

inline void check_features(const char* where, Size out_features, Size in_features) {
    require<ShapeError>(out_features >= 0 && in_features >= 0, where, "extent ", out_features, " x ", in_features,
                        " is negative");
    require<ShapeError>(out_features <= max_features && in_features <= max_features, where, "extent ", out_features,
                        " x ", in_features, " is beyond ", max_features, " in a dimension");
}

}  // namespace detail

/// The coordinates of an (out_features, in_features) matrix: sorted by (row, column), unique, in
/// range, always. O(nnz + out_features) memory.
class Topology {
public:
    /// The one way in: everything that makes a topology ends here and is checked here.
    ///
    /// @param cells  row * in_features + column of each entry, strictly ascending
    /// @throws ShapeError for extents that are negative or beyond 2^31 - 1;
    ///         TopologyError for a cell out of range, out of order or given twice
    static std::shared_ptr<const Topology> from_cells(Size out_features, Size in_features, std::span<const Size> cells,
                                                      Allocator* allocator = nullptr) {
        constexpr const char* where = "Topology::from_cells";
        detail::check_features(where, out_features, in_features);
        const auto nnz = static_cast<Size>(cells.size());
        const Size* cell = cells.data();
        Buffer<Index> columns(nnz, allocator);
        Buffer<Size> offsets(out_features + 1, allocator);
        Size row = 0;
        Size row_begin = 0;  // first cell of `row`
        offsets[0] = 0;
        for (Size e = 0; e < nnz; ++e) {
            if (cell[e] < 0 || cell[e] >= out_features * in_features || (e > 0 && cell[e - 1] >= cell[e]))
                [[unlikely]] {
                detail::fail_wrong_cell(where, e, e > 0 ? cell[e - 1] : -1, cell[e], out_features, in_features);
            }
            while (cell[e] - row_begin >= in_features) {
                offsets[++row] = e;
                row_begin += in_features;
            }
            columns[e] = static_cast<Index>(cell[e] - row_begin);
        }
        while (row < out_features) {
            offsets[++row] = nnz;
        }
        return std::shared_ptr<const Topology>(
            new Topology(static_cast<Index>(in_features), std::move(columns), std::move(offsets)));
    }

    Size out_features() const noexcept { return row_offsets_.size() - 1; }
    Size in_features() const noexcept { return in_features_; }
    Size nnz() const noexcept { return columns_.size(); }

    /// Cells in all, out_features * in_features.
    Size cells() const noexcept { return out_features() * in_features(); }
    /// Cells without an entry.
    Size free_cells() const noexcept { return cells() - nnz(); }
    /// Share of cells without an entry; 0 for a matrix without cells.
    double sparsity() const noexcept {
        return cells() == 0 ? 0 : static_cast<double>(free_cells()) / static_cast<double>(cells());
    }

    /// Column of each entry (nnz), and the entries before each row (out_features + 1).
    std::span<const Index> columns() const noexcept { return columns_.span(); }
    std::span<const Size> row_offsets() const noexcept { return row_offsets_.span(); }

    /// Writes the row of each entry (nnz): the other half of the COO coordinates.
    /// @throws ShapeError if `rows` has another extent
    void expand_rows(std::span<Index> rows) const {
        require<ShapeError>(static_cast<Size>(rows.size()) == nnz(), "Topology::expand_rows", "span of ", rows.size(),
                            " elements for ", nnz(), " entries");
        for (Size row = 0; row < out_features(); ++row) {
            for (Size e = row_offsets_[row]; e < row_offsets_[row + 1]; ++e) {
                rows.data()[e] = static_cast<Index>(row);
            }
        }
    }

    /// The rows of all entries as a new array.
    Buffer<Index> rows(Allocator* allocator = nullptr) const {
        Buffer<Index> expanded(nnz(), allocator);
        expand_rows(expanded.span());
        return expanded;
    }

    /// Unique in the process: equal versions mean the same topology.
    std::uint64_t version() const noexcept { return version_; }
    Size bytes() const noexcept { return columns_.bytes() + row_offsets_.bytes(); }

private:
    Topology(Index in_features, Buffer<Index>&& columns, Buffer<Size>&& offsets)
        : in_features_(in_features),
          columns_(std::move(columns)),
          row_offsets_(std::move(offsets)),
          version_(detail::next_unique_id()) {}

    Index in_features_;
    Buffer<Index> columns_;
    Buffer<Size> row_offsets_;
    std::uint64_t version_;
};

using TopologyPtr = std::shared_ptr<const Topology>;

/// The topology whose arrays lie in a memory space; each space specialises it.
template <class Space>
struct TopologyTraits;

template <>
struct TopologyTraits<HostSpace> {
    using type = Topology;
};

template <class Space>
using TopologyIn = typename TopologyTraits<Space>::type;
template <class Space>
using TopologyPtrIn = std::shared_ptr<const TopologyIn<Space>>;

/// A topology for the memory space of a context. On the host it is the topology itself.
template <class Context>
requires std::is_same_v<typename Context::space, HostSpace>
const TopologyPtr& topology_in(Context&, const TopologyPtr& topology) {
    return topology;
}

/// The same from any memory space: `from` is a context of the topology's own.
template <class To, class From>
requires std::is_same_v<typename To::space, HostSpace> && std::is_same_v<typename From::space, HostSpace>
const TopologyPtr& copy_topology(To&, From&, const TopologyPtr& topology) {
    return topology;
}

/// Calls visit(entry, row, column) for each entry in canonical order.
template <class Visit>
void for_each_entry(const Topology& topology, const Visit& visit) {
    const Index* columns = topology.columns().data();
    const Size* offsets = topology.row_offsets().data();
    for (Size row = 0; row < topology.out_features(); ++row) {
        for (Size e = offsets[row]; e < offsets[row + 1]; ++e) {
            visit(e, static_cast<Index>(row), columns[e]);
        }
    }
}

/// Whether both hold the same coordinates in the same shape.
inline bool same_coordinates(const Topology& a, const Topology& b) {
    if (a.out_features() != b.out_features() || a.in_features() != b.in_features() || a.nnz() != b.nnz()) {
        return false;
    }
    const auto equal = [](auto x, auto y) {
        return x.size() == 0 || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
    };
    return equal(a.columns(), b.columns()) && equal(a.row_offsets(), b.row_offsets());
}

}  // namespace snack::inline v0
