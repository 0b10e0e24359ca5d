// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Copies activations between the two layouts in cache-sized blocks.
// The host kernels work on `features x batch`, where a vector register holds samples of one
// feature; row-major activations are packed into scratch space and unpacked from it.

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels {

/// to[column * to_stride + row] = from[row * from_stride + column] for a (rows, columns) matrix.
template <class Isa, class T>
void transpose(const T* from, Size from_stride, T* to, Size to_stride, Size rows, Size columns) {
    constexpr Size block = 16;  // a cache line of float each way
    for (Size row_begin = 0; row_begin < rows; row_begin += block) {
        const Size row_end = row_begin + block < rows ? row_begin + block : rows;
        for (Size column = 0; column < columns; ++column) {
            for (Size row = row_begin; row < row_end; ++row) {
                to[column * to_stride + row] = from[row * from_stride + column];
            }
        }
    }
}

}  // namespace snack::inline v0::kernels
