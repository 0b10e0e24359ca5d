// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A dense matrix as a file holds it: what readers of dense formats return. The library's layers have no use for
// one; pruning makes them from a view of it.

#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/memory/buffer.hpp>

namespace snack::inline v0::io {

/// (rows, columns) numbers, row-major and contiguous.
template <Scalar T>
struct DenseMatrix {
    Size rows = 0;
    Size columns = 0;
    Buffer<T> values;

    MatrixView<T> view() { return {values.data(), rows, columns}; }
    MatrixView<const T> view() const { return {values.data(), rows, columns}; }
};

}  // namespace snack::inline v0::io
