// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the dense baselines hold of a topology: W as an (out_features, in_features) matrix, zero
// where there is no entry, and how entries and cells of it map to each other.

#include <utility>

#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/memory/grain.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/cell_steps.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

namespace detail {

/// The scratch slots of a dense baseline: an out x in workspace, and ones.
enum class DenseSlot : int { matrix, ones };

/// visit(entry, cell) for an entry of a topology that is anywhere.
template <class Visit>
struct VisitCell {
    const Size* offsets;   // row_count + 1
    const Index* columns;  // nnz
    Size row_count;
    Size in_features;
    Visit visit;

    SNACK_HOST_DEVICE void operator()(Size entry) const {
        const Size row = row_of_entry(offsets, row_count, entry);
        visit(entry, row * in_features + columns[entry]);
    }
};

}  // namespace detail

/// W as a dense row-major matrix. The values of a full topology are that matrix already, so they are
/// used where they lie; otherwise the plan holds a copy of out_features * in_features elements.
template <Scalar T, class Context = HostContext>
class DensePlan {
public:
    using space = typename Context::space;

    /// @throws ArgumentError if the matrix passes 2^63 bytes; what the allocator throws
    DensePlan(Context& ctx, TopologyPtrIn<space> topology)
        : topology_(std::move(topology)), weights_(ctx.template allocate<T>(is_full() ? 0 : topology_->cells())) {
        ctx.fill(weights_.span(), T{0});
    }

    DensePlan(const DensePlan& other)
        : topology_(other.topology_), weights_(other.weights_.similar(other.weights_.size())) {
        weights_.copy_from(other.weights_.span());
    }
    DensePlan(DensePlan&&) noexcept = default;
    DensePlan& operator=(const DensePlan&) = delete;
    DensePlan& operator=(DensePlan&&) noexcept = default;
    ~DensePlan() = default;

    const TopologyIn<space>& topology() const { return *topology_; }
    std::uint64_t topology_version() const { return topology_->version(); }
    Size bytes() const { return weights_.bytes(); }

    /// Whether every cell has an entry.
    bool is_full() const { return topology_->free_cells() == 0; }

    /// Any array of the shape of W as a matrix.
    template <class U>
    MatrixView<U, space> matrix(U* data) const {
        return {data, topology_->out_features(), topology_->in_features()};
    }
    /// W, given the values of its entries.
    MatrixView<const T, space> weights(SpanIn<const T, space> values) const {
        return matrix(is_full() ? values.data() : weights_.data());
    }

    /// The plan's own matrix, empty if the topology is full.
    SpanIn<T, space> copied_weights() { return weights_.span(); }

    /// Calls visit(entry, row * in_features + column) for each entry; on the host rows in parallel, on a
    /// device each by itself.
    template <class Visit>
    void for_each_cell(Context& ctx, const Visit& visit) const {
        const Size rows = topology_->out_features();
        const Size columns = topology_->in_features();
        const Size* const offsets = topology_->row_offsets().data();
        const Index* const column_of = topology_->columns().data();
        if constexpr (std::is_same_v<space, HostSpace>) {
            const Size entries_of_row = rows == 0 ? 0 : topology_->nnz() / rows;
            ctx.parallel_ranges(rows, lines_per_task(entries_of_row), [=](Size begin, Size end) {
                for (Size row = begin; row < end; ++row) {
                    for (Size e = offsets[row]; e < offsets[row + 1]; ++e) {
                        visit(e, cell_index(static_cast<Index>(row), column_of[e], columns));
                    }
                }
            });
        } else {
            ctx.for_each_index(topology_->nnz(), detail::VisitCell<Visit>{offsets, column_of, rows, columns, visit});
        }
    }

private:
    TopologyPtrIn<space> topology_;
    BufferIn<T, space> weights_;
};

}  // namespace snack::inline v0
