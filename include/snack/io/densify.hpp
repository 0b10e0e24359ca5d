// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A sparse weight written out in the caller's dense memory: for tests, and for tools that know no other. The
// library itself never needs it.

#include <span>
#include <type_traits>

#include <snack/core/error.hpp>
#include <snack/core/matrix_view.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::io {

/// to(row[e], column[e]) = values[e], and 0 elsewhere; what lies between the lines of `to` stays.
///
/// @param values  nnz elements in canonical order
/// @param to      (out_features, in_features), overwritten
/// O(out_features in_features) time, no allocation.
/// @throws ShapeError for another shape or number of values
template <Scalar T>
void densify(const Topology& topology, std::span<const T> values, const std::type_identity_t<MatrixView<T>>& to) {
    constexpr const char* where = "densify";
    require<ShapeError>(static_cast<Size>(values.size()) == topology.nnz(), where, values.size(), " values for ",
                        topology.nnz(), " entries");
    require<ShapeError>(to.batch() == topology.out_features() && to.features() == topology.in_features(), where,
                        "the view is ", to.batch(), " x ", to.features(), ", the matrix ", topology.out_features(),
                        " x ", topology.in_features());
    const bool by_row = to.layout() == Layout::row_major;
    const Size lines = by_row ? to.batch() : to.features();
    const Size line = by_row ? to.features() : to.batch();
    for (Size i = 0; i < lines; ++i) {
        for (Size j = 0; j < line; ++j) {
            to.data()[i * to.stride() + j] = T{0};
        }
    }
    for_each_entry(topology, [&](Size e, Index row, Index column) { to(row, column) = values.data()[e]; });
}

/// The same of a matrix object.
/// @throws UnsupportedError for an empty one
template <Scalar T>
void densify(const CooMatrix<T>& matrix, const std::type_identity_t<MatrixView<T>>& to) {
    require<UnsupportedError>(matrix.topology() != nullptr, "densify", "the matrix object is empty");
    densify<T>(*matrix.topology(), matrix.values(), to);
}

}  // namespace snack::inline v0::io
