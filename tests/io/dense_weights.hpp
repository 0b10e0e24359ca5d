// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Dense weights for tests of pruning, and which of them a sort would keep.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/io/sparsify.hpp>
#include <tests/sparse/random_cells.hpp>

namespace tests {

using snack::Size;

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// A dense matrix of the test's own.
template <class T>
struct Dense {
    Size rows = 0;
    Size columns = 0;
    std::vector<T> cells;

    snack::MatrixView<const T> view() const { return {cells.data(), rows, columns}; }
    snack::io::DenseRows<T> source() const { return snack::io::DenseRows<T>(view()); }
};

/// Cell and bits of each entry.
template <class T>
using EntryBits = std::vector<std::pair<Size, Bits<T>>>;

template <class T>
EntryBits<T> bits_of_entries(const snack::CooMatrix<T>& matrix) {
    EntryBits<T> entries;
    snack::for_each_entry(*matrix.topology(), [&](Size e, snack::Index row, snack::Index column) {
        entries.emplace_back(snack::cell_index(row, column, matrix.in_features()),
                             std::bit_cast<Bits<T>>(matrix.values()[static_cast<std::size_t>(e)]));
    });
    return entries;
}

/// The entries at some cells.
template <class T>
EntryBits<T> bits_at(const Dense<T>& dense, std::vector<Size> cells) {
    std::sort(cells.begin(), cells.end());
    EntryBits<T> entries;
    for (const Size cell : cells) {
        entries.emplace_back(cell, std::bit_cast<Bits<T>>(dense.cells[static_cast<std::size_t>(cell)]));
    }
    return entries;
}

/// The `count` cells of largest magnitude among some, by a stable sort: NaN below zero, ties by position.
template <class T>
std::vector<Size> largest(const Dense<T>& dense, std::vector<Size> cells, Size count) {
    const auto magnitude = [&](Size cell) {
        const T value = dense.cells[static_cast<std::size_t>(cell)];
        return std::isnan(value) ? T{-1} : std::fabs(value);
    };
    std::stable_sort(cells.begin(), cells.end(), [&](Size a, Size b) { return magnitude(a) > magnitude(b); });
    cells.resize(static_cast<std::size_t>(count));
    return cells;
}

inline std::vector<Size> range(Size begin, Size end) {
    std::vector<Size> cells(static_cast<std::size_t>(end - begin));
    std::iota(cells.begin(), cells.end(), begin);
    return cells;
}

/// Numbers of which many are equal in magnitude, and some are none: every case of the order meets.
template <class T>
Dense<T> awkward(Dice& dice, Size rows, Size columns) {
    using Limits = std::numeric_limits<T>;
    const T numbers[] = {T{0},
                         -T{0},
                         Limits::quiet_NaN(),
                         -Limits::quiet_NaN(),
                         Limits::infinity(),
                         -T{1},
                         T{1},
                         Limits::max(),
                         Limits::denorm_min(),
                         -Limits::min(),
                         T{0.5},
                         -T{0.5},
                         T{2},
                         -T{2},
                         T{3},
                         std::nextafter(T{1}, T{2})};
    Dense<T> dense{rows, columns, std::vector<T>(static_cast<std::size_t>(rows * columns))};
    for (T& cell : dense.cells) {
        cell = numbers[dice.below(std::size(numbers))];
    }
    return dense;
}

/// Any bit pattern at all.
template <class T>
Dense<T> any_bits(Dice& dice, Size rows, Size columns) {
    Dense<T> dense{rows, columns, std::vector<T>(static_cast<std::size_t>(rows * columns))};
    for (T& cell : dense.cells) {
        const auto low = static_cast<std::uint64_t>(dice.below(Size{1} << 32));
        const auto high = static_cast<std::uint64_t>(dice.below(Size{1} << 32));
        cell = std::bit_cast<T>(static_cast<Bits<T>>(high << 32 | low));
    }
    return dense;
}

/// Rows of up to some length are read one, a few, or all at a time.
inline snack::io::SparsifyOptions reading(Size bytes) {
    snack::io::SparsifyOptions options;
    options.buffer_bytes = bytes;
    return options;
}

}  // namespace tests
