// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A borrowed matrix in coordinate form as a user holds it: in any order, not yet checked.
// The triple (rows, columns, values) is the paper's (Ar, Ac, Av), section 3.1.

#include <concepts>

#include <snack/core/span.hpp>

namespace snack::inline v0 {

/// Entries (rows[e], columns[e]) = values[e] of an (out_features, in_features) matrix, e < nnz, in a memory
/// space. Any integer type may hold the coordinates; they are range-checked in 64 bits when a `CooMatrix`,
/// or a `CudaCooMatrix`, is made from the view.
template <class T, std::integral Integer = Index, class Space = HostSpace>
struct CooView {
    Size out_features = 0;
    Size in_features = 0;
    SpanIn<const Integer, Space> rows;
    SpanIn<const Integer, Space> columns;
    SpanIn<const T, Space> values;
};

}  // namespace snack::inline v0
