// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the dense baselines hold of a topology: W as an (out_features, in_features) matrix, zero
// where there is no entry, and how entries and cells of it map to each other.

#include <span>
#include <utility>

#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/memory/grain.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

namespace detail {

/// The scratch slots of a dense baseline: an out x in workspace, and ones.
enum class DenseSlot : int { matrix, ones };

}  // namespace detail

/// W as a dense row-major matrix. The values of a full topology are that matrix already, so they are
/// used where they lie; otherwise the plan holds a copy of out_features * in_features elements.
template <Scalar T>
class DensePlan {
public:
    /// @throws ArgumentError if the matrix passes 2^63 bytes; what the allocator throws
    DensePlan(HostContext& ctx, TopologyPtr topology)
        : topology_(std::move(topology)), weights_(is_full() ? 0 : topology_->cells(), T{0}, ctx.allocator()) {}

    DensePlan(const DensePlan& other) : topology_(other.topology_), weights_(other.weights_.clone()) {}
    DensePlan(DensePlan&&) noexcept = default;
    DensePlan& operator=(const DensePlan&) = delete;
    DensePlan& operator=(DensePlan&&) noexcept = default;
    ~DensePlan() = default;

    const Topology& topology() const { return *topology_; }
    std::uint64_t topology_version() const { return topology_->version(); }
    Size bytes() const { return weights_.bytes(); }

    /// Whether every cell has an entry.
    bool is_full() const { return topology_->free_cells() == 0; }

    /// Any array of the shape of W as a matrix.
    template <class U>
    MatrixView<U> matrix(U* data) const {
        return {data, topology_->out_features(), topology_->in_features()};
    }
    /// W, given the values of its entries.
    MatrixView<const T> weights(std::span<const T> values) const {
        return matrix(is_full() ? values.data() : weights_.data());
    }

    /// The plan's own matrix, empty if the topology is full.
    std::span<T> copied_weights() { return weights_.span(); }

    /// Calls visit(entry, row * in_features + column) for each entry, rows in parallel.
    template <class Visit>
    void for_each_cell(HostContext& ctx, const Visit& visit) const {
        const Size rows = topology_->out_features();
        const Size* const offsets = topology_->row_offsets().data();
        const Index* const columns = topology_->columns().data();
        const Size entries_of_row = rows == 0 ? 0 : topology_->nnz() / rows;
        ctx.parallel_ranges(rows, lines_per_task(entries_of_row), [&](Size begin, Size end) {
            for (Size row = begin; row < end; ++row) {
                for (Size e = offsets[row]; e < offsets[row + 1]; ++e) {
                    visit(e, cell_index(static_cast<Index>(row), columns[e], topology_->in_features()));
                }
            }
        });
    }

private:
    TopologyPtr topology_;
    Buffer<T> weights_;
};

}  // namespace snack::inline v0
