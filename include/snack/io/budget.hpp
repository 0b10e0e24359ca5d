// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How much a reader may take from a file that a stranger made. Sizes that a file names are compared with
// these, and with the bytes that are there, before memory is allocated for them.

#include <algorithm>

#include <snack/core/types.hpp>

namespace snack::inline v0::io {

/// Limits of one read; passing one is a FormatError that names it. The defaults leave room for any file that fits
/// into memory, and keep what describes the contents small.
struct Budget {
    Size file_bytes = Size{1} << 40;
    Size elements = Size{1} << 36;   ///< of one tensor, or entries of one matrix
    Size header_bytes = 16'000'000;  ///< of safetensors or npy
    Size tensors = 100'000;          ///< of one file
    int json_depth = 8;              ///< brackets inside brackets
    Size string_bytes = 1 << 20;     ///< of one name or text in a header
    Size dimensions = 16;            ///< of one tensor
    Size features = 1 << 20;         ///< rows or columns of a matrix, where the file has not eight bytes for each
    Size line_bytes = 64 * 1024;     ///< of a text file; rows of .smtx apart, which are lists

    /// Rows or columns that a file of so many bytes may name.
    constexpr Size features_in(Size file_size) const { return std::max(features, file_size / 8); }
};

}  // namespace snack::inline v0::io
