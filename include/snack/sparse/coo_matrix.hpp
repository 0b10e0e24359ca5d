// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// An owning sparse matrix: a shared topology and a value for each of its entries.
// What a user builds a layer from, and what a layer can be turned back into.

#include <span>
#include <utility>

#include <snack/core/scalar.hpp>
#include <snack/sparse/canonical.hpp>
#include <snack/sparse/coo_view.hpp>

namespace snack::inline v0 {

/// (out_features, in_features) matrix in canonical COO: sorted by (row, column), unique, in range.
/// Copying copies the values and shares the topology, which is immutable. Moved from, it is an
/// empty 0 x 0 matrix.
template <Scalar T>
class CooMatrix {
public:
    CooMatrix() = default;

    /// Checks and sorts the entries; the values follow. See `permutation` to sort arrays of your own.
    /// @throws ShapeError, TopologyError as `canonicalize`; ShapeError for a wrong number of values
    template <std::integral Integer>
    explicit CooMatrix(const CooView<T, Integer>& entries, Allocator* allocator = nullptr)
        : CooMatrix(entries,
                    canonicalize(entries.out_features, entries.in_features, entries.rows, entries.columns, allocator),
                    allocator) {}

    /// A topology that was checked already, with one value for each entry.
    /// @throws ShapeError for a null topology or a wrong number of values
    CooMatrix(TopologyPtr topology, Buffer<T>&& values) : topology_(std::move(topology)), values_(std::move(values)) {
        require<ShapeError>(topology_ != nullptr, "CooMatrix", "null topology");
        check_extent(values_.size());
    }

    CooMatrix(const CooMatrix& other)
        : topology_(other.topology_), values_(other.values_.clone()), permutation_(other.permutation_.clone()) {}
    CooMatrix(CooMatrix&& other) noexcept { swap(other); }
    CooMatrix& operator=(const CooMatrix& other) {
        CooMatrix(other).swap(*this);
        return *this;
    }
    CooMatrix& operator=(CooMatrix&& other) noexcept {
        CooMatrix(std::move(other)).swap(*this);
        return *this;
    }
    ~CooMatrix() = default;

    void swap(CooMatrix& other) noexcept {
        topology_.swap(other.topology_);
        values_.swap(other.values_);
        permutation_.swap(other.permutation_);
    }

    Size out_features() const noexcept { return topology_ ? topology_->out_features() : 0; }
    Size in_features() const noexcept { return topology_ ? topology_->in_features() : 0; }
    Size nnz() const noexcept { return values_.size(); }

    /// Null for a default-constructed or moved-from matrix.
    const TopologyPtr& topology() const noexcept { return topology_; }

    std::span<T> values() noexcept { return values_.span(); }
    std::span<const T> values() const noexcept { return values_.span(); }

    /// Where each entry stood in the arrays the matrix was made from (nnz; empty for a matrix made
    /// from a topology): sorted[e] = yours[permutation()[e]].
    std::span<const Size> permutation() const noexcept { return permutation_.span(); }

private:
    template <std::integral Integer>
    CooMatrix(const CooView<T, Integer>& entries, Canonical&& canonical, Allocator* allocator)
        : topology_(std::move(canonical.topology)),
          values_(topology_->nnz(), allocator),
          permutation_(std::move(canonical.permutation)) {
        check_extent(static_cast<Size>(entries.values.size()));
        for (Size e = 0; e < values_.size(); ++e) {
            values_[e] = entries.values.data()[permutation_[e]];
        }
    }

    void check_extent(Size values) const {
        require<ShapeError>(values == topology_->nnz(), "CooMatrix", values, " values for ", topology_->nnz(),
                            " entries");
    }

    TopologyPtr topology_;
    Buffer<T> values_;
    Buffer<Size> permutation_;
};

}  // namespace snack::inline v0
