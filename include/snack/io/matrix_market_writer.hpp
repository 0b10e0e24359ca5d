// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Writes matrices in the formats of Matrix Market. A number has the fewest digits from which its type reads the same
// bits; the bytes are the same whoever writes them, with any number of threads.

#include <string>

#include <snack/core/matrix_view.hpp>
#include <snack/io/atomic_file.hpp>
#include <snack/io/text_pieces.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::io {

namespace detail {

template <class Sink, Scalar T>
void put_matrix_market(HostContext& ctx, Sink& sink, const CooMatrix<T>& matrix) {
    sink.write("%%MatrixMarket matrix coordinate real general\n" + std::to_string(matrix.out_features()) + " " +
               std::to_string(matrix.in_features()) + " " + std::to_string(matrix.nnz()) + "\n");
    if (matrix.nnz() == 0) {
        return;
    }
    const Buffer<Index> rows = matrix.topology()->rows(ctx.allocator());
    const Index* columns = matrix.topology()->columns().data();
    const T* values = matrix.values().data();
    put_pieces(ctx, sink, matrix.nnz(), [&](Size entry, char* to) {
        to = put_number(to, Size{rows[entry]} + 1);
        *to++ = ' ';
        to = put_number(to, Size{columns[entry]} + 1);
        *to++ = ' ';
        to = put_number(to, values[entry]);
        *to++ = '\n';
        return to;
    });
}

template <class Sink, Scalar T>
void put_matrix_market_array(HostContext& ctx, Sink& sink, const MatrixView<const T>& matrix) {
    sink.write("%%MatrixMarket matrix array real general\n" + std::to_string(matrix.batch()) + " " +
               std::to_string(matrix.features()) + "\n");
    put_pieces(ctx, sink, matrix.batch() * matrix.features(), [&](Size element, char* to) {
        to = put_number(to, matrix(element % matrix.batch(), element / matrix.batch()));
        *to++ = '\n';
        return to;
    });
}

}  // namespace detail

/// Writes a matrix in the coordinate format: `real general`, entries in canonical order, counted from 1. Reading it
/// gives the same bits, but for NaN, which text keeps no more of than the sign: `nan` and `-nan`; the infinite
/// numbers are `inf` and `-inf`.
///
/// The file appears whole, or keeps what it had. Several threads of ctx make the text. O(nnz) time; memory for the
/// rows of the entries, and 256 KiB for each of eight blocks a thread.
/// @throws FileError
template <Scalar T>
void write_matrix_market(HostContext& ctx, const std::string& path, const CooMatrix<T>& matrix) {
    AtomicFile file(path);
    detail::put_matrix_market(ctx, file, matrix);
    file.commit();
}

/// Writes a dense matrix (rows, columns) in the array format: `real general`, column by column. As above.
template <Scalar T>
void write_matrix_market_array(HostContext& ctx, const std::string& path, const MatrixView<const T>& matrix) {
    AtomicFile file(path);
    detail::put_matrix_market_array(ctx, file, matrix);
    file.commit();
}
template <Scalar T>
void write_matrix_market_array(HostContext& ctx, const std::string& path, const MatrixView<T>& matrix) {
    write_matrix_market_array<T>(ctx, path, MatrixView<const T>(matrix));
}

}  // namespace snack::inline v0::io
