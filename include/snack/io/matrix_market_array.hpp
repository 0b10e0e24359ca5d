// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Reads dense matrices in the array format of Matrix Market: one number a line, column by column, of a symmetric or
// skew-symmetric matrix the lower triangle alone.

#include <utility>

#include <snack/io/dense_matrix.hpp>
#include <snack/io/matrix_market_entries.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::io {

namespace detail {

/// Puts the numbers of a file into a matrix.
template <Scalar T>
class MatrixMarketArrayReader {
public:
    MatrixMarketArrayReader(const Source& source, const Budget& budget, const MatrixMarketHeader& header,
                            MatrixView<T> to, Size block_bytes = usual_block)
        : header_(header), range_(source, header.data_offset, budget, block_bytes), to_(to), next_{first_row(0), 0} {}

    void read(HostContext& ctx) {
        if (skew()) {
            for (Size i = 0; i < header_.rows; ++i) {
                to_(i, i) = 0;
            }
        }
        take_blocks(
            ctx, range_, [&] { return Block(range_, ctx.allocator()); }, [this](Block& block) { parse(block); },
            [this](Block& block) { admit(block); }, [this](const Block& block) { place(block); });
        check_end(range_, header_, done_);
    }

private:
    struct Place {
        Size row;
        Size column;
    };
    struct Block : EntryLines {
        Block(const TextRange& range, Allocator* allocator)
            : EntryLines(range, allocator), values(range.widest_block() / 2 + 1, allocator) {}  // "1\n" is the shortest

        Buffer<T> values;
        Place first{};
    };

    bool skew() const { return header_.symmetry == MatrixMarketHeader::Symmetry::skew_symmetric; }
    bool general() const { return header_.symmetry == MatrixMarketHeader::Symmetry::general; }

    /// Of the elements of a column that the file holds.
    Size first_row(Size column) const { return general() ? 0 : column + (skew() ? 1 : 0); }

    void parse(Block& block) const {
        const bool integer = header_.field == MatrixMarketHeader::Field::integer;
        T* values = block.values.data();
        Size count = 0;
        block.stop = for_each_line(block.text, range_.longest_line, [&](const char*& p) {
            T value{};
            const Wanted wanted = take_value(p, integer, value);
            if (wanted == Wanted::nothing) {
                values[count++] = value;
            }
            return wanted;
        });
        block.lines = count;
    }

    void admit(Block& block) {
        check_lines(range_, block, header_, done_);
        block.first = next_;
        done_ += block.lines;
        Size left = block.lines;
        while (left >= header_.rows - next_.row && left > 0) {
            left -= header_.rows - next_.row;
            ++next_.column;
            next_.row = first_row(next_.column);
        }
        next_.row += left;
    }

    void place(const Block& block) const {
        Place at = block.first;
        for (Size i = 0; i < block.lines; ++i) {
            const T value = block.values[i];
            to_(at.row, at.column) = value;
            if (!general() && at.row != at.column) {
                to_(at.column, at.row) = skew() ? -value : value;
            }
            if (++at.row == header_.rows) {
                ++at.column;
                at.row = first_row(at.column);
            }
        }
    }

    const MatrixMarketHeader& header_;
    TextRange range_;
    MatrixView<T> to_;
    Place next_;  // of the first number of the next block
    Size done_ = 0;
};

inline MatrixMarketHeader read_array_header(const Source& source, const Budget& budget) {
    const MatrixMarketHeader header = read_matrix_market_header(source, budget);
    require<UnsupportedError>(header.format == MatrixMarketHeader::Format::array, source.name().c_str(),
                              "is in the coordinate format, read_matrix_market takes it");
    return header;
}

}  // namespace detail

/// Reads a dense matrix in the array format, real or integer, of any symmetry but hermitian, into memory of the
/// caller, in either layout. Numbers and lines are as read_matrix_market takes them.
///
/// @param to  (rows, columns) of the file; overwritten, and in part so when an error is thrown
/// Several threads of ctx take in a file of more than 256 KiB. O(bytes) time; some 2 MiB for each of eight blocks a
/// thread.
/// @throws ShapeError for a view of another extent; FormatError naming the line; UnsupportedError for complex
///         numbers and the coordinate format; FileError
template <Scalar T>
void read_matrix_market_array(HostContext& ctx, const Source& source, MatrixView<T> to, const Budget& budget = {}) {
    const MatrixMarketHeader header = detail::read_array_header(source, budget);
    require<ShapeError>(to.batch() == header.rows && to.features() == header.columns, "read_matrix_market_array",
                        "view of ", to.batch(), " x ", to.features(), ", ", source.name(), " has ", header.rows, " x ",
                        header.columns);
    detail::MatrixMarketArrayReader<T>(source, budget, header, to).read(ctx);
}

/// The same into a new matrix.
template <Scalar T>
DenseMatrix<T> read_matrix_market_array(HostContext& ctx, const Source& source, const Budget& budget = {}) {
    const MatrixMarketHeader header = detail::read_array_header(source, budget);
    DenseMatrix<T> matrix{header.rows, header.columns, Buffer<T>(header.rows * header.columns, ctx.allocator())};
    detail::MatrixMarketArrayReader<T>(source, budget, header, matrix.view()).read(ctx);
    return matrix;
}

}  // namespace snack::inline v0::io
