// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Arrays in NumPy's .npy files, read row by row as float or double, whatever type, order and byte order the file
// has.

#include <algorithm>
#include <cstddef>
#include <span>

#include <snack/io/dense_matrix.hpp>
#include <snack/io/npy_header.hpp>

namespace snack::inline v0::io {

/// A file as a matrix: the first dimension are its rows, all others its columns, in C order. A vector has one column,
/// a single element one row.
class Npy {
public:
    /// Reads the header. The source must outlive it.
    /// @throws as read_npy_header
    explicit Npy(const Source&& source, const Budget& budget = {}) = delete;
    explicit Npy(const Source& source, const Budget& budget = {})
        : source_(source), header_(read_npy_header(source, budget)) {
        const auto& shape = header_.shape;
        rows_ = shape.empty() ? 1 : shape[0];
        for (std::size_t i = 1; i < shape.size(); ++i) {
            columns_ *= shape[i];
        }
    }

    const NpyHeader& header() const noexcept { return header_; }
    Size rows() const noexcept { return rows_; }
    Size columns() const noexcept { return columns_; }

    /// to[r * columns() + c] = element (first + r, c), converted as `decode` does. Rows that lie together in the file,
    /// of the type T, are read in place; others through 64 KiB.
    /// @throws ShapeError for rows beyond the last, or another extent of `to`; FileError
    template <Scalar T>
    void read_rows(Size first, Size count, std::span<T> to) const {
        require<ShapeError>(first >= 0 && count >= 0 && first <= rows_ && count <= rows_ - first, "Npy::read_rows",
                            count, " rows from ", first, " on, ", source_.name(), " has ", rows_);
        require<ShapeError>(static_cast<Size>(to.size()) == count * columns_, "Npy::read_rows", "span of ", to.size(),
                            " elements for ", count, " rows of ", columns_);
        if (to.empty()) {
            return;
        }
        if (!header_.fortran_order) {
            read(first * columns_, to);
            return;
        }
        for (Size done = 0; done < count; done += most_held) {
            const Size rows = std::min(count - done, most_held);
            read_block(first + done, rows, to.data() + done * columns_);
        }
    }

private:
    static constexpr Size most_held = 2048;  // elements

    /// Rows of an array in Fortran order: a piece of each column, or of several that lie close together.
    template <Scalar T>
    void read_block(Size first, Size rows, T* to) const {
        T piece[most_held];
        const Size at_once = (most_held - rows) / rows_ + 1;
        for (Size column = 0; column < columns_; column += at_once) {
            const Size held = std::min(at_once, columns_ - column);
            read(column * rows_ + first, std::span(piece).first(static_cast<std::size_t>((held - 1) * rows_ + rows)));
            for (Size i = 0; i < held; ++i) {
                T* start = to + c_order(column + i);
                for (Size row = 0; row < rows; ++row) {
                    start[row * columns_] = piece[i * rows_ + row];
                }
            }
        }
    }

    /// The column, in C order, that is number `column` in Fortran order.
    Size c_order(Size column) const {
        Size index = 0;
        for (std::size_t i = 1; i < header_.shape.size(); ++i) {
            index = index * header_.shape[i] + column % header_.shape[i];
            column /= header_.shape[i];
        }
        return index;
    }

    /// The elements from number `first` of the file on.
    template <Scalar T>
    void read(Size first, std::span<T> to) const {
        const Size width = bytes_of(header_.dtype);
        if (header_.dtype == dtype_of<T>() && !header_.big_endian) {
            source_.read(header_.data_offset + first * width, std::as_writable_bytes(to));
            return;
        }
        alignas(8) std::byte piece[1 << 16];
        const Size held = static_cast<Size>(sizeof piece) / width;
        for (Size done = 0; done < static_cast<Size>(to.size()); done += held) {
            const Size count = std::min(static_cast<Size>(to.size()) - done, held);
            const std::span bytes(piece, static_cast<std::size_t>(count * width));
            source_.read(header_.data_offset + (first + done) * width, bytes);
            if (header_.big_endian) {
                for (Size i = 0; i < count; ++i) {
                    std::reverse(piece + i * width, piece + (i + 1) * width);
                }
            }
            decode(header_.dtype, piece, count, to.data() + done);
        }
    }

    const Source& source_;
    NpyHeader header_;
    Size rows_ = 0;
    Size columns_ = 1;
};

/// Reads a whole file as a matrix. O(elements) time, memory for the result.
/// @throws as read_npy_header
template <Scalar T>
DenseMatrix<T> read_npy(const Source& source, const Budget& budget = {}, Allocator* allocator = nullptr) {
    const Npy file(source, budget);
    DenseMatrix<T> matrix{file.rows(), file.columns(), Buffer<T>(file.header().elements, allocator)};
    file.read_rows(0, file.rows(), matrix.values.span());
    return matrix;
}

}  // namespace snack::inline v0::io
