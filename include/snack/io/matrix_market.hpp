// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Reads sparse matrices in the coordinate format of Matrix Market (NIST), as SuiteSparse, MATLAB and SciPy write
// them. Several threads take in one file; the result does not depend on how many.

#include <algorithm>
#include <utility>

#include <snack/io/large_buffer.hpp>
#include <snack/io/matrix_market_entries.hpp>
#include <snack/io/sort_entries.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::io {

namespace detail {

/// The entries of one block of lines.
template <Scalar T>
struct MatrixMarketBlock : EntryLines {
    MatrixMarketBlock(const TextRange& range, Size most_entries, Allocator* allocator)
        : EntryLines(range, allocator), cells(most_entries, allocator), values(most_entries, allocator) {}

    Buffer<Size> cells;
    Buffer<T> values;
    Size entries = 0;
    bool ascending = true;  ///< no entry twice either
    Size to = 0;            ///< where the first entry goes
};

/// Puts a file's entries, each with its mirror image, into arrays.
template <Scalar T>
class MatrixMarketReader {
public:
    using Block = MatrixMarketBlock<T>;

    MatrixMarketReader(const Source& source, const Budget& budget, Allocator* allocator, Size block_bytes = usual_block)
        : header_(read_matrix_market_header(source, budget)),
          range_(source, header_.data_offset, budget, block_bytes),
          allocator_(allocator) {
        const char* where = source.name().c_str();
        require<UnsupportedError>(header_.format == MatrixMarketHeader::Format::coordinate, where,
                                  "is a dense array, read_matrix_market takes the coordinate format");
        require<UnsupportedError>(header_.rows <= max_features && header_.columns <= max_features, where, header_.rows,
                                  " x ", header_.columns, " is beyond ", max_features, " in a dimension");
        mirrored_ = header_.symmetry != MatrixMarketHeader::Symmetry::general;
        cells_ = large_buffer<Size>(header_.entries * (mirrored_ ? 2 : 1), allocator);
        values_ = large_buffer<T>(cells_.size(), allocator);
    }

    CooMatrix<T> read(HostContext& ctx) {
        take_blocks(
            ctx, range_, [this] { return make_block(); }, [this](Block& block) { parse(block); },
            [this](Block& block) { admit(block); }, [this](const Block& block) { place(block); });
        check_end(range_, header_, lines_);
        cells_ = first_of(std::move(cells_));
        values_ = first_of(std::move(values_));
        sort(ctx);
        auto topology = Topology::from_cells(header_.rows, header_.columns, std::as_const(cells_).span(), allocator_);
        return CooMatrix<T>(std::move(topology), std::move(values_));
    }

private:
    Block make_block() const {
        const Size entries = (range_.widest_block() / 4 + 1) * (mirrored_ ? 2 : 1);  // "1 1\n" is the shortest line
        return Block(range_, entries, allocator_);
    }

    void parse(Block& block) const {
        const bool skew = header_.symmetry == MatrixMarketHeader::Symmetry::skew_symmetric;
        const MatrixMarketHeader header = header_;  // a copy that no store through a pointer can change
        Size* cells = block.cells.data();
        T* values = block.values.data();
        Size lines = 0;
        Size count = 0;
        Size previous = -1;
        bool ascending = true;
        const auto put = [&](Size row, Size column, T value) {
            const Size cell = row * header.columns + column;
            cells[count] = cell;
            values[count++] = value;
            ascending = ascending && cell > previous;
            previous = cell;
        };
        const auto take = [&](const char*& p) {
            MatrixMarketEntry<T> entry;
            const Wanted wanted = take_entry(p, header, entry);
            if (wanted == Wanted::nothing) {
                put(entry.row, entry.column, entry.value);
                if (mirrored_ && entry.row != entry.column) {
                    put(entry.column, entry.row, skew ? -entry.value : entry.value);
                }
                ++lines;
            }
            return wanted;
        };
        block.stop = for_each_line(block.text, range_.longest_line, take);
        block.lines = lines;
        block.entries = count;
        block.ascending = ascending;
    }

    void admit(Block& block) {
        check_lines(range_, block, header_, lines_);
        block.to = entries_;
        ascending_ = ascending_ && block.ascending && (block.entries == 0 || block.cells[0] > last_);
        last_ = block.entries > 0 ? block.cells[block.entries - 1] : last_;
        entries_ += block.entries;
        lines_ += block.lines;
    }

    void place(const Block& block) {
        std::copy_n(block.cells.data(), block.entries, cells_.data() + block.to);
        std::copy_n(block.values.data(), block.entries, values_.data() + block.to);
    }

    /// The entries that were put, in a buffer of their own if that has more.
    template <class U>
    Buffer<U> first_of(Buffer<U>&& all) const {
        if (entries_ == all.size()) {
            return std::move(all);
        }
        Buffer<U> first = all.similar(entries_);
        first.copy_from(all.span().first(static_cast<std::size_t>(entries_)));
        return first;
    }

    void sort(HostContext& ctx) {
        if (!ascending_ && !EntrySort<T>(cells_, values_, header_.rows * header_.columns).sort(ctx)) {
            fail_repeated_cell(*std::adjacent_find(cells_.begin(), cells_.end()));
        }
    }

    /// Names the second line that gives a cell, or its mirror image.
    [[noreturn]] void fail_repeated_cell(Size cell) const {
        const Size row = cell / header_.columns;
        const Size column = cell % header_.columns;
        TextBlock text(range_, allocator_);
        bool seen = false;
        for (Size block = 0; block < range_.blocks(); ++block) {
            text.read(range_, block);
            const LineStop stop = for_each_line(text, range_.longest_line, [&](const char*& at) {
                MatrixMarketEntry<T> entry;
                take_entry(at, header_, entry);
                const bool same = (entry.row == row && entry.column == column) ||
                                  (mirrored_ && entry.row == column && entry.column == row);
                return std::exchange(seen, seen || same) && same ? Wanted::line_end : Wanted::nothing;
            });
            if (stop.wanted != Wanted::nothing) {
                snack::detail::fail<TopologyError>(range_.source.name().c_str(), "line ",
                                                   line_at(range_.source, text.offset(stop.line)), ": entry (", row + 1,
                                                   ", ", column + 1, ") is given twice");
            }
        }
        snack::detail::fail<FileError>(range_.source.name().c_str(), "changed while it was read");
    }

    MatrixMarketHeader header_;
    TextRange range_;
    Allocator* allocator_;
    bool mirrored_ = false;
    Buffer<Size> cells_;
    Buffer<T> values_;
    Size lines_ = 0;
    Size entries_ = 0;
    Size last_ = -1;
    bool ascending_ = true;
};

}  // namespace detail

/// Reads a matrix in the coordinate format: real, integer or pattern (whose values are 1), general, symmetric or
/// skew-symmetric (whose entries, of either triangle, are given once and read with their mirror images).
///
/// One entry a line, `row column value`, counted from 1 and in any order. Blank lines, blanks around entries, any
/// line ends, a missing last one, and comment lines anywhere after the banner are read: nothing else begins with `%`.
/// Values are decimal numbers, with an exponent after `e` or Fortran's `d`, `inf` or `nan`. They are rounded once, to
/// nearest: integers up to 2^53, or 2^24 in float, are exact, and what is beyond the largest number is infinite.
/// Explicit zeros are entries. An entry given twice is an error, as it is for CooMatrix.
///
/// Several threads of ctx take in a file of more than 256 KiB. O(bytes + rows) time; memory for the result, twice
/// its entries to sort them unless they are in canonical order, and some 2 MiB for each of eight blocks a thread.
/// @throws FormatError naming the line; TopologyError for an entry given twice; UnsupportedError for complex
///         numbers, dense arrays, and dimensions beyond 2^31 - 1; FileError
template <Scalar T>
CooMatrix<T> read_matrix_market(HostContext& ctx, const Source& source, const Budget& budget = {}) {
    return detail::MatrixMarketReader<T>(source, budget, ctx.allocator()).read(ctx);
}

}  // namespace snack::inline v0::io
