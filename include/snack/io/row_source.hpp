// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A dense matrix that is read a few rows at a time: what a dense weight becomes sparse from, so that no second
// copy of it is ever in memory. One that is in memory is such a source too.

#include <concepts>
#include <span>
#include <type_traits>

#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/memory/buffer.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::io {

/// A (rows, columns) matrix that fills `to` with `count` rows from row `first` on, row after row, as elements of
/// type T. It is read several times, and must be the same each time.
template <class S, class T>
concept RowSource = Scalar<T> && requires(const S& source, Size first, Size count, std::span<T> to) {
    { source.rows() } -> std::convertible_to<Size>;
    { source.columns() } -> std::convertible_to<Size>;
    source.read_rows(first, count, to);
};

/// A weight in the caller's memory, in either layout; its `batch` are the rows, its `features` the columns.
template <class U>
class DenseRows {
public:
    explicit DenseRows(const MatrixView<const U>& weight) : weight_(weight) {}

    Size rows() const noexcept { return weight_.batch(); }
    Size columns() const noexcept { return weight_.features(); }

    /// to[r * columns + c] = T(w(first + r, c)), along the lines of the weight.
    template <class T>
    void read_rows(Size first, Size count, std::span<T> to) const {
        const bool by_row = weight_.layout() == Layout::row_major;
        const Size lines = by_row ? count : columns();
        const Size line = by_row ? columns() : count;
        const Size step = by_row ? 1 : columns();
        for (Size i = 0; i < lines; ++i) {
            const Size from = by_row ? weight_.offset(first + i, 0) : weight_.offset(first, i);
            T* const line_of_to = to.data() + (by_row ? i * columns() : i);
            for (Size j = 0; j < line; ++j) {
                line_of_to[j * step] = static_cast<T>(weight_.data()[from + j]);
            }
        }
    }

private:
    MatrixView<const U> weight_;
};

template <class U>
DenseRows(const MatrixView<U>&) -> DenseRows<std::remove_const_t<U>>;

namespace detail {

/// Room for some rows, and for at least one if there is any.
template <Scalar T>
Buffer<T> buffer_for_rows(Size rows, Size columns, Size bytes, Allocator* allocator) {
    if (rows == 0 || columns == 0) {
        return Buffer<T>();
    }
    const Size fitting = bytes / static_cast<Size>(sizeof(T)) / columns;
    const Size held = fitting < 1 ? 1 : fitting < rows ? fitting : rows;
    return Buffer<T>(held * columns, allocator);
}

/// visit(first row, rows, elements) for all elements of a source, in order, as many rows at a time as the
/// buffer holds. A source without elements is not visited.
template <Scalar T, RowSource<T> S, class Visit>
void for_each_block(const S& source, Buffer<T>& buffer, const Visit& visit) {
    const Size rows = source.rows();
    const Size columns = source.columns();
    if (columns == 0) {
        return;
    }
    const Size held = buffer.size() / columns;
    for (Size first = 0; first < rows; first += held) {
        const Size count = rows - first < held ? rows - first : held;
        const auto elements = buffer.span().first(static_cast<std::size_t>(count * columns));
        source.read_rows(first, count, elements);
        visit(first, count, std::span<const T>(elements));
    }
}

}  // namespace detail

}  // namespace snack::inline v0::io
