// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sorts the columns of some rows by how many entries they have, which is how the host's input gradient
// walks a block. A counting sort, in memory that the caller lends.

#include <cstdint>
#include <cstring>

#include <snack/core/types.hpp>
#include <snack/kernels/host/column_walk.hpp>
#include <snack/kernels/host/row_segments.hpp>

namespace snack::inline v0::detail::host {

/// A block of rows by a range of columns of a topology.
struct BlockEntries {
    kernels::host::RowSegments segments;  // the range's
    const Index* columns = nullptr;       // nnz
    Size first_row = 0;
    Size rows = 0;
    Size first_column = 0;
    Size width = 0;

    /// visit(entry, row, column) in canonical order; row and column count from the block's and the range's first.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (Size row = 0; row < rows; ++row) {
            const Size stop = segments.end(first_row + row);
            for (Size e = segments.begin(first_row + row); e < stop; ++e) {
                visit(e, row, columns[e] - first_column);
            }
        }
    }
};

/// The order of one block's columns. write() uses up the counts that the constructor makes.
class ColumnsByCount {
public:
    /// How many numbers the order of so many rows and columns is made in.
    static Size numbers(Size rows, Size width) { return width + 2 * (rows + 1); }

    /// Counts the entries of each column.
    ColumnsByCount(const BlockEntries& block, std::uint32_t* memory)
        : block_(block),
          of_column_(memory),
          columns_of_(memory + block.width),
          entries_of_(memory + block.width + block.rows + 1) {
        std::memset(memory, 0, static_cast<std::size_t>(block.width + block.rows + 1) * sizeof *memory);
        block.for_each([&](Size, Size, Size column) { ++of_column_[column]; });
        for (Size column = 0; column < block.width; ++column) {
            ++columns_of_[of_column_[column]];
        }
    }

    Size runs() const {
        Size count = 0;
        for (Size length = 1; length <= block_.rows; ++length) {
            count += columns_of_[length] > 0;
        }
        return count;
    }
    Size columns() const { return block_.width - columns_of_[0]; }
    Size entries() const {
        Size count = 0;
        for (Size length = 1; length <= block_.rows; ++length) {
            count += columns_of_[length] * length;
        }
        return count;
    }

    /// Fills arrays of as many runs, columns and entries; once. `first_entry` is the block's.
    void write(Size first_entry, ColumnRun* runs, std::uint16_t* columns, std::uint16_t* positions,
               std::uint8_t* rows) {
        std::uint32_t columns_so_far = 0;
        std::uint32_t entries_so_far = 0;
        for (Size length = 1; length <= block_.rows; ++length) {
            const std::uint32_t count = columns_of_[length];
            if (count > 0) {
                *runs++ = {static_cast<std::uint32_t>(length), count};
            }
            columns_of_[length] = columns_so_far;
            entries_of_[length] = entries_so_far;
            columns_so_far += count;
            entries_so_far += count * static_cast<std::uint32_t>(length);
        }
        for (Size column = 0; column < block_.width; ++column) {
            const std::uint32_t length = of_column_[column];
            if (length > 0) {
                columns[columns_of_[length]++] = static_cast<std::uint16_t>(column);
                of_column_[column] = entries_of_[length];  // where its next entry goes
                entries_of_[length] += length;
            }
        }
        block_.for_each([&](Size entry, Size row, Size column) {
            const std::uint32_t at = of_column_[column]++;
            positions[at] = static_cast<std::uint16_t>(entry - first_entry);
            rows[at] = static_cast<std::uint8_t>(row);
        });
    }

private:
    BlockEntries block_;
    std::uint32_t* of_column_;   // width: entries of each
    std::uint32_t* columns_of_;  // rows + 1: columns that have so many entries; then, where the next one goes
    std::uint32_t* entries_of_;  // rows + 1: where the entries of the next one go
};

}  // namespace snack::inline v0::detail::host
