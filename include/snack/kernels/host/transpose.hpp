// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Copies activations between the two layouts in cache-sized blocks.
// The host kernels work on `features x batch`, where a vector register holds samples of one
// feature; row-major activations are packed into scratch space and unpacked from it.

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels {

/// to[column * to_stride + row] = from[row * from_stride + column] for rows [row_begin, row_end)
/// of a matrix of `columns` columns.
template <class T>
void transpose_rows(const T* from, Size from_stride, T* to, Size to_stride, Size row_begin, Size row_end,
                    Size columns) {
    constexpr Size block = 32;
    for (Size column_begin = 0; column_begin < columns; column_begin += block) {
        const Size column_end = column_begin + block < columns ? column_begin + block : columns;
        for (Size row = row_begin; row < row_end; ++row) {
            for (Size column = column_begin; column < column_end; ++column) {
                to[column * to_stride + row] = from[row * from_stride + column];
            }
        }
    }
}

}  // namespace snack::inline v0::kernels
