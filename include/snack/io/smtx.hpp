// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The topologies of pruned networks in the format of the Deep Learning Matrix Collection (Gale et al. 2020). Line 1
// is `rows, columns, entries`, line 2 the entries before each row, from 0, and line 3 their columns, counted from 0.
// There are no values.

#include <algorithm>
#include <string>
#include <utility>

#include <snack/io/atomic_file.hpp>
#include <snack/io/text_lines.hpp>
#include <snack/io/text_pieces.hpp>
#include <snack/sparse/radix_sort.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::io {

namespace detail {

/// The numbers of a text line by line, of which none need fit into memory. Blanks and commas separate numbers.
class NumberLines {
public:
    explicit NumberLines(const Source& source, Allocator* allocator = nullptr)
        : source_(source), text_(std::min(block, source.size()) + text_padding, allocator) {
        text_.fill('\n');
        p_ = end_ = text_.data();
    }

    /// The next number of the line; false at its end, where it stays.
    /// @throws FormatError for what is no number below 2^63: "found this, wanted `wanted...`"
    template <class... Wanted>
    bool next(Size& to, const Wanted&... wanted) {
        skip_separators();
        const char* first = p_;
        if (at_line_end()) {
            return false;
        }
        p_ = take_whole(first, to);
        const bool cut_off = p_ == end_ && read_ < source_.size();  // more digits than are held of a token
        if (p_ == nullptr || cut_off || !(ends_token(*p_) || *p_ == ',')) [[unlikely]] {
            fail_line(source_, line_, "found ", quote({first, static_cast<std::size_t>(token_end(first) - first)}),
                      ", wanted ", wanted...);
        }
        return true;
    }

    /// Goes on to the next line, from the end of this one.
    void next_line() {
        const bool carriage = *p_ == '\r';
        step_over_line_end();
        if (carriage && p_ != end_ && *p_ == '\n') {
            step_over_line_end();
        }
        ++line_;
    }

    /// Whether only blanks and line ends follow.
    bool only_blanks_follow() {
        for (skip_separators(); p_ != end_ && is_line_end(*p_); skip_separators()) {
            step_over_line_end();
        }
        return p_ == end_;
    }

private:
    static constexpr Size block = 1 << 16;
    static constexpr Size longest_token = 64;

    static bool separates(char c) { return is_blank(c) || c == ','; }
    bool at_line_end() const { return p_ == end_ || is_line_end(*p_); }

    const char* token_end(const char* p) const {
        return std::find_if(p, static_cast<const char*>(end_), [](char c) { return separates(c) || is_line_end(c); });
    }

    void step_over_line_end() {
        p_ += p_ == end_ ? 0 : 1;
        load();
    }

    /// Afterwards a token at p_ is in memory, or the part of it that no number has.
    void skip_separators() {
        load();
        while (p_ != end_ && separates(*p_)) {
            ++p_;
            load();
        }
    }

    void load() {
        const Size held = end_ - p_;
        if (held >= longest_token || read_ == source_.size()) {
            return;
        }
        std::copy(p_, static_cast<const char*>(end_), text_.data());
        const Size count = std::min(source_.size() - read_, block - held);
        source_.read(read_, std::as_writable_bytes(
                                text_.span().subspan(static_cast<std::size_t>(held), static_cast<std::size_t>(count))));
        read_ += count;
        p_ = text_.data();
        end_ = text_.data() + held + count;
        *end_ = '\n';
    }

    const Source& source_;
    Buffer<char> text_;
    const char* p_ = nullptr;
    char* end_ = nullptr;
    Size read_ = 0;
    Size line_ = 1;
};

/// Reads line 1 and compares the sizes with the budget and the bytes.
inline void read_smtx_sizes(const Source& source, const Budget& budget, NumberLines& numbers, Size (&sizes)[3]) {
    const char* where = source.name().c_str();
    Size count = 0;
    for (Size value = 0; numbers.next(value, "rows, columns and entries"); ++count) {
        require<FormatError>(count < 3, where, "line 1: more than rows, columns and entries");
        sizes[count] = value;
    }
    require<FormatError>(count == 3, where, "line 1: ", count, " numbers, wanted rows, columns and entries");
    const auto [rows, columns, entries] = sizes;
    require<FormatError>(entries <= budget.elements, where, "line 1: ", entries, " entries, the budget is ",
                         budget.elements);
    require<FormatError>(rows <= source.size() / 2 && entries <= source.size() / 2, where, "line 1: ", rows,
                         " rows and ", entries, " entries do not fit into ", source.size(), " bytes");
    require<UnsupportedError>(columns <= max_features && rows <= max_features, where, rows, " x ", columns,
                              " is beyond ", max_features, " in a dimension");
}

/// Reads line 2.
inline Buffer<Size> read_smtx_offsets(const Source& source, NumberLines& numbers, Size rows, Size entries,
                                      Allocator* allocator) {
    const char* where = source.name().c_str();
    Buffer<Size> offsets(rows + 1, allocator);
    Size count = 0;
    for (Size value = 0; numbers.next(value, "a row offset"); ++count) {
        require<FormatError>(count <= rows, where, "line 2: more than ", rows + 1, " offsets for ", rows, " rows");
        const Size least = count == 0 ? 0 : offsets[count - 1];
        const Size most = count == 0 ? 0 : entries;
        require<FormatError>(value >= least && value <= most, where, "line 2: offset ", count, " is ", value,
                             ", wanted one from ", least, " to ", most);
        offsets[count] = value;
    }
    require<FormatError>(count == rows + 1, where, "line 2: ", count, " offsets, wanted ", rows + 1);
    require<FormatError>(offsets[rows] == entries, where, "line 2: the last offset is ", offsets[rows], ", wanted ",
                         entries);
    return offsets;
}

/// Reads line 3, and makes cells of the columns. Returns whether they ascend.
inline bool read_smtx_cells(const Source& source, NumberLines& numbers, Size columns, const Buffer<Size>& offsets,
                            Buffer<Size>& cells) {
    const char* where = source.name().c_str();
    bool ascending = true;
    Size row = 0;
    Size count = 0;
    for (Size column = 0; numbers.next(column, "a column from 0 to ", columns - 1); ++count) {
        require<FormatError>(count < cells.size(), where, "line 3: more than ", cells.size(), " columns");
        require<FormatError>(column < columns, where, "line 3: column ", column, " of entry ", count,
                             ", wanted one from 0 to ", columns - 1);
        while (offsets[row + 1] <= count) {
            ++row;
        }
        cells[count] = row * columns + column;
        ascending = ascending && (count == 0 || cells[count - 1] < cells[count]);
    }
    require<FormatError>(count == cells.size(), where, "line 3: ", count, " columns, wanted ", cells.size());
    return ascending;
}

template <class Sink>
void put_smtx(HostContext& ctx, Sink& sink, const Topology& topology) {
    sink.write(std::to_string(topology.out_features()) + ", " + std::to_string(topology.in_features()) + ", " +
               std::to_string(topology.nnz()) + "\n");
    const auto put_list = [&](auto numbers) {
        const auto count = static_cast<Size>(numbers.size());
        put_pieces(ctx, sink, count, [&](Size i, char* to) {
            to = put_number(to, numbers.data()[i]);
            *to++ = i + 1 < count ? ' ' : '\n';
            return to;
        });
    };
    put_list(topology.row_offsets());
    put_list(topology.columns());
    if (topology.nnz() == 0) {
        sink.write("\n");
    }
}

}  // namespace detail

/// Reads a topology. Columns of a row may have any order; line ends may be LF, CR or CRLF, and blanks or commas
/// separate numbers on each line. Beyond the bytes that are there no number is believed.
///
/// O(bytes) time; memory for the entries, twice to sort those that are not in order, and 64 KiB of the text.
/// @throws FormatError naming the line; TopologyError for an entry given twice; UnsupportedError for dimensions
///         beyond 2^31 - 1; FileError
inline TopologyPtr read_smtx(HostContext& ctx, const Source& source, const Budget& budget = {}) {
    detail::NumberLines numbers(source, ctx.allocator());
    Size sizes[3] = {};
    detail::read_smtx_sizes(source, budget, numbers, sizes);
    const auto [rows, columns, entries] = sizes;
    numbers.next_line();
    const Buffer<Size> offsets = detail::read_smtx_offsets(source, numbers, rows, entries, ctx.allocator());
    numbers.next_line();
    Buffer<Size> cells(entries, ctx.allocator());
    if (!detail::read_smtx_cells(source, numbers, columns, offsets, cells)) {
        radix_sort(cells, rows * columns);
        for (Size e = 1; e < entries; ++e) {
            require<TopologyError>(cells[e - 1] != cells[e], source.name().c_str(), "line 3: row ", cells[e] / columns,
                                   " has column ", cells[e] % columns, " twice");
        }
    }
    require<FormatError>(numbers.only_blanks_follow(), source.name().c_str(), "more than three lines");
    return Topology::from_cells(rows, columns, std::as_const(cells).span(), ctx.allocator());
}

/// Writes a topology. The file appears whole, or keeps what it had. O(nnz + rows) time.
/// @throws FileError
inline void write_smtx(HostContext& ctx, const std::string& path, const Topology& topology) {
    AtomicFile file(path);
    detail::put_smtx(ctx, file, topology);
    file.commit();
}

}  // namespace snack::inline v0::io
