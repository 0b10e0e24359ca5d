// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The host's input gradient by columns (paper, section 3.4): a block of rows, whose dy stays in the
// first-level cache, is walked column by column, so that a line of dx is moved once for all its entries in
// the block. Columns with equally many entries follow one another: their loops have a constant length,
// where loops over a few entries each would cost a branch misprediction.

#include <cstdint>

#include <snack/core/types.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::detail::host {

/// Columns that have `length` entries each in a block. Not of the kernels' namespace, whose symbols are those of one
/// instruction set: plans hold it.
struct ColumnRun {
    std::uint32_t length;
    std::uint32_t columns;
};

}  // namespace snack::inline v0::detail::host

namespace snack::inline v0::kernels::host {

/// The most rows of a block, as many as 8 bits count. Their dy takes 32 KiB, and still most reads of it find
/// it in a first-level cache of that size; half as many rows take 5 % longer, for the lines of dx.
inline constexpr Size most_rows_of_block = 256;

/// A block of rows by a range of columns. Entries lie column after column in the order of the runs, those of
/// a column by ascending row.
struct ColumnBlock {
    const snack::detail::host::ColumnRun* runs;
    Size run_count;
    const std::uint16_t* columns;    // of each run's columns, counted from the range's first
    const std::uint16_t* positions;  // of each entry, counted from the block's first entry
    const std::uint8_t* rows;        // of each entry, counted from the block's first row
};

/// Operands of dx = W' dy for one tile of samples, one range of columns and one block of rows.
template <class T>
struct ColumnOperands {
    const T* values = nullptr;  // from the block's first entry on
    const T* dy = nullptr;      // (rows of the block, tile width), packed
    T* dx = nullptr;            // (columns of the range, tile width), added to
    Size dx_stride = 0;
};

/// dx += W' dy over one block, each column by ascending row.
template <class Isa, int Width, class T>
void column_walk(const ColumnOperands<T>& operands, ColumnBlock block) {
    using Shape = TileShape<Isa, T, Width>;
    const ColumnOperands<T> op = operands;  // stores cannot change a local copy
    for (Size i = 0; i < block.run_count; ++i) {
        const Size length = block.runs[i].length;
        const std::uint16_t* const stop = block.columns + block.runs[i].columns;
        for (; block.columns != stop; ++block.columns) {
            T* const line = op.dx + Size{*block.columns} * op.dx_stride;
            Vector<T, Shape::lanes> sum[Shape::vectors];
            for (int v = 0; v < Shape::vectors; ++v) {
                Vector<T, Shape::lanes> start;  // a load to the array itself, or a store, would keep it in memory
                load<Shape::lanes>(start, line + v * Shape::lanes);
                sum[v] = start;
            }
            for (Size k = 0; k < length; ++k) {
                const T value = op.values[block.positions[k]];
                const T* const dy = op.dy + Size{block.rows[k]} * Width;
                for (int v = 0; v < Shape::vectors; ++v) {
                    Vector<T, Shape::lanes> terms;
                    load<Shape::lanes>(terms, dy + v * Shape::lanes);
                    sum[v] += value * terms;
                }
            }
            for (int v = 0; v < Shape::vectors; ++v) {
                const Vector<T, Shape::lanes> end = sum[v];
                store<Shape::lanes>(end, line + v * Shape::lanes);
            }
            block.positions += length;
            block.rows += length;
        }
    }
}

}  // namespace snack::inline v0::kernels::host
