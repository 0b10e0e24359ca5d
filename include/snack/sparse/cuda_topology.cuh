// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which connections exist, on a GPU: the same coordinates as `Topology`, checked there, and copies of
// a topology between host and device.

#include <memory>
#include <utility>

#include <snack/memory/copy.hpp>
#include <snack/memory/cuda_context.cuh>
#include <snack/simt/find_first.hpp>
#include <snack/sparse/cell_steps.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

namespace detail {

/// The smallest i of [0, count) for which predicate(i) holds, or `count`. Waits for the stream.
template <class Predicate>
Size find_first(CudaContext& ctx, Size count, const Predicate& predicate) {
    if (count == 0) {
        return 0;
    }
    DeviceBuffer<Size> found = ctx.allocate<Size>(1);
    ctx.fill(found.span(), count);
    const simt::FindFirst<Predicate> kernel{count, predicate, found.data()};
    ctx.launch(kernel, kernel.shape());
    Size first = 0;
    ctx.copy_to_host(std::as_const(found).span(), std::span<Size>(&first, 1));
    return first;
}

}  // namespace detail

class CudaTopology;
using CudaTopologyPtr = std::shared_ptr<const CudaTopology>;

template <>
struct TopologyTraits<CudaSpace> {
    using type = CudaTopology;
};

/// The coordinates of an (out_features, in_features) matrix in GPU memory: sorted by (row, column), unique,
/// in range, always. Immutable; complete on the stream of the context it was made through.
class CudaTopology {
public:
    /// As Topology::from_cells, with the cells on the device. Waits for the stream, to tell the outcome.
    /// @throws as Topology::from_cells; CudaError
    static CudaTopologyPtr from_cells(CudaContext& ctx, Size out_features, Size in_features,
                                      DeviceSpan<const Size> cells) {
        constexpr const char* where = "CudaTopology::from_cells";
        detail::check_features(where, out_features, in_features);
        const auto nnz = static_cast<Size>(cells.size());
        require_ascending(ctx, where, out_features, in_features, cells);
        DeviceBuffer<Index> columns = ctx.allocate<Index>(nnz);
        DeviceBuffer<Size> offsets = ctx.allocate<Size>(out_features + 1);
        ctx.for_each_index(nnz, detail::ColumnOfCell{cells.data(), in_features, columns.data()});
        ctx.for_each_index(out_features + 1, detail::OffsetOfRow{cells.data(), nnz, in_features, offsets.data()});
        return CudaTopologyPtr(new CudaTopology(in_features, std::move(columns), std::move(offsets)));
    }

    /// A copy of a topology on the host.
    static CudaTopologyPtr upload(CudaContext& ctx, const Topology& topology) {
        DeviceBuffer<Index> columns = ctx.allocate<Index>(topology.nnz());
        DeviceBuffer<Size> offsets = ctx.allocate<Size>(topology.out_features() + 1);
        ctx.copy_from_host(topology.columns(), columns.span());
        ctx.copy_from_host(topology.row_offsets(), offsets.span());
        return CudaTopologyPtr(new CudaTopology(topology.in_features(), std::move(columns), std::move(offsets)));
    }

    /// A copy for the stream of `to`, in order with what `from`, a context of the topology's, was given.
    static CudaTopologyPtr copy(CudaContext& to, CudaContext& from, const CudaTopology& topology) {
        DeviceBuffer<Index> columns = to.allocate<Index>(topology.nnz());
        DeviceBuffer<Size> offsets = to.allocate<Size>(topology.out_features() + 1);
        copy_between(to, from, topology.columns(), columns.span());
        copy_between(to, from, topology.row_offsets(), offsets.span());
        return CudaTopologyPtr(new CudaTopology(topology.in_features(), std::move(columns), std::move(offsets)));
    }

    /// A copy on the host. Waits for the stream.
    TopologyPtr download(CudaContext& ctx, Allocator* allocator = nullptr) const {
        Buffer<Index> columns(nnz(), allocator);
        Buffer<Size> offsets(out_features() + 1, allocator);
        ctx.copy_to_host(this->columns(), columns.span());
        ctx.copy_to_host(row_offsets(), offsets.span());
        Buffer<Size> cells(nnz(), allocator);
        for (Size row = 0; row < out_features(); ++row) {
            for (Size e = offsets[row]; e < offsets[row + 1]; ++e) {
                cells[e] = cell_index(static_cast<Index>(row), columns[e], in_features_);
            }
        }
        return Topology::from_cells(out_features(), in_features_, std::as_const(cells).span(), allocator);
    }

    Size out_features() const noexcept { return row_offsets_.size() - 1; }
    Size in_features() const noexcept { return in_features_; }
    Size nnz() const noexcept { return columns_.size(); }

    /// Cells in all, cells without an entry, and their share: as of Topology.
    Size cells() const noexcept { return out_features() * in_features(); }
    Size free_cells() const noexcept { return cells() - nnz(); }
    double sparsity() const noexcept {
        return cells() == 0 ? 0 : static_cast<double>(free_cells()) / static_cast<double>(cells());
    }

    /// Column of each entry (nnz), and the entries before each row (out_features + 1).
    DeviceSpan<const Index> columns() const noexcept { return columns_.span(); }
    DeviceSpan<const Size> row_offsets() const noexcept { return row_offsets_.span(); }

    /// Unique in the process, among topologies of the host too.
    std::uint64_t version() const noexcept { return version_; }
    Size bytes() const noexcept { return columns_.bytes() + row_offsets_.bytes(); }

private:
    CudaTopology(Size in_features, DeviceBuffer<Index>&& columns, DeviceBuffer<Size>&& offsets)
        : in_features_(in_features),
          columns_(std::move(columns)),
          row_offsets_(std::move(offsets)),
          version_(detail::next_unique_id()) {}

    static void require_ascending(CudaContext& ctx, const char* where, Size out_features, Size in_features,
                                  DeviceSpan<const Size> cells) {
        const auto nnz = static_cast<Size>(cells.size());
        const Size wrong = detail::find_first(ctx, nnz, detail::WrongCell{cells.data(), out_features * in_features});
        if (wrong == nnz) {
            return;
        }
        Size pair[2] = {-1, 0};
        const auto at = static_cast<std::size_t>(wrong);
        ctx.copy_to_host(cells.subspan(wrong > 0 ? at - 1 : at, wrong > 0 ? 2 : 1),
                         std::span<Size>(wrong > 0 ? pair : pair + 1, wrong > 0 ? 2 : 1));
        detail::fail_wrong_cell(where, wrong, pair[0], pair[1], out_features, in_features);
    }

    Size in_features_;
    DeviceBuffer<Index> columns_;
    DeviceBuffer<Size> row_offsets_;
    std::uint64_t version_;
};

/// A topology on the device of a context.
inline CudaTopologyPtr topology_in(CudaContext& ctx, const TopologyPtr& topology) {
    return CudaTopology::upload(ctx, *topology);
}

/// The same from the memory space of `from`. On one stream it is the topology itself; otherwise a copy, since
/// memory is freed in the order of the stream that it was taken for.
template <class From>
CudaTopologyPtr copy_topology(CudaContext& to, From&, const TopologyPtr& topology) {
    return topology_in(to, topology);
}
template <class To>
requires std::is_same_v<typename To::space, HostSpace> TopologyPtr copy_topology(To& to, CudaContext& from,
                                                                                 const CudaTopologyPtr& topology) {
    return topology->download(from, to.allocator());
}
inline CudaTopologyPtr copy_topology(CudaContext& to, CudaContext& from, const CudaTopologyPtr& topology) {
    if (to.device() == from.device() && to.stream() == from.stream()) {
        return topology;
    }
    return CudaTopology::copy(to, from, *topology);
}

}  // namespace snack::inline v0
