// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Writes NumPy's .npy files: version 1, C order, little-endian, the bytes that numpy.save would write.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <snack/core/matrix_view.hpp>
#include <snack/io/atomic_file.hpp>
#include <snack/io/dtype.hpp>

namespace snack::inline v0::io {

namespace detail {

/// Magic, length and dictionary, and the blanks that NumPy leaves: some to append rows in place, and as many as make
/// the elements begin at a multiple of 64 bytes.
inline std::string npy_header(DType dtype, std::span<const Size> shape) {
    constexpr std::string_view names[] = {"<f8", "<f4", "<f2", "",    "<i8", "<i4", "<i2",
                                          "|i1", "<u8", "<u4", "<u2", "|u1", "|b1"};
    constexpr std::size_t prefix = 10;
    std::string text = "{'descr': '";
    text.append(names[static_cast<int>(dtype)]).append("', 'fortran_order': False, 'shape': (");
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text.append(i == 0 ? "" : ", ").append(std::to_string(shape[i]));
    }
    text.append(shape.size() == 1 ? ",), }" : "), }");
    if (!shape.empty()) {
        text.append(21 - std::to_string(shape[0]).size(), ' ');
    }
    text.append(64 - (prefix + text.size() + 1) % 64, ' ').append("\n");
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

/// Writes to a sink, which has write(std::string_view) and write(std::span<const std::byte>).
template <class Sink, class T>
void put_npy(Sink& sink, std::span<const Size> shape, std::span<const T> elements) {
    Size wanted = 1;
    bool fits = true;
    for (const Size extent : shape) {
        fits = fits && extent >= 0 && !__builtin_mul_overflow(wanted, extent, &wanted);
    }
    require<ShapeError>(fits, "write_npy", "the shape has an extent that is negative or too large");
    require<ShapeError>(wanted == static_cast<Size>(elements.size()), "write_npy", elements.size(),
                        " elements, the shape needs ", wanted);
    sink.write(npy_header(dtype_of<T>(), shape));
    sink.write(std::as_bytes(elements));
}

template <class Sink, class T>
void put_npy(Sink& sink, const MatrixView<const T>& matrix) {
    const Size shape[] = {matrix.batch(), matrix.features()};
    sink.write(npy_header(dtype_of<T>(), shape));
    if (matrix.empty()) {
        return;
    }
    T piece[512];
    for (Size row = 0; row < matrix.batch(); ++row) {
        for (Size column = 0; column < matrix.features(); column += static_cast<Size>(std::size(piece))) {
            const Size count = std::min(matrix.features() - column, static_cast<Size>(std::size(piece)));
            for (Size i = 0; i < count; ++i) {
                piece[i] = matrix(row, column + i);
            }
            sink.write(std::as_bytes(std::span<const T>(piece, static_cast<std::size_t>(count))));
        }
    }
}

}  // namespace detail

/// Writes elements in C order; T is float, double or an integer, and the shape has at most 32 dimensions, which is
/// what NumPy takes. The file appears whole, or keeps what it had. O(elements) time, memory for the header.
/// @throws ShapeError if the shape needs another number of elements or has more dimensions; FileError
template <class T>
void write_npy(const std::string& path, const std::vector<Size>& shape, std::span<T> elements) {
    require<ShapeError>(shape.size() <= 32, "write_npy", shape.size(), " dimensions, NumPy takes at most 32");
    AtomicFile file(path);
    detail::put_npy<AtomicFile, std::remove_const_t<T>>(file, shape, elements);
    file.commit();
}

/// The same for a matrix (rows, columns) in either layout.
template <class T>
void write_npy(const std::string& path, const MatrixView<T>& matrix) {
    AtomicFile file(path);
    detail::put_npy<AtomicFile, std::remove_const_t<T>>(file, matrix);
    file.commit();
}

}  // namespace snack::inline v0::io
