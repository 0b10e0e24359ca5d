// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The entries of each row that lie in a range of columns. Entries are sorted by column within a
// row, so such a segment is contiguous, in values and gradients as well as in the columns.

#include <cstdint>

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels::host {

/// A null cut stands for the end of the row on its side.
struct RowSegments {
    const Size* row_offsets = nullptr;          // out_features + 1
    const std::uint32_t* first_cut = nullptr;   // out_features: entries of the row before the range
    const std::uint32_t* second_cut = nullptr;  // out_features: entries of the row up to its end

    Size begin(Size row) const { return row_offsets[row] + (first_cut != nullptr ? first_cut[row] : 0); }
    Size end(Size row) const {
        return second_cut != nullptr ? row_offsets[row] + second_cut[row] : row_offsets[row + 1];
    }
};

}  // namespace snack::inline v0::kernels::host
