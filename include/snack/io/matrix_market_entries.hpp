// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One line of a Matrix Market file that holds an entry, and what an error says of a line that does not.

#include <string>
#include <string_view>

#include <snack/io/matrix_market_header.hpp>
#include <snack/io/quote.hpp>
#include <snack/io/text_blocks.hpp>

namespace snack::inline v0::io::detail {

/// What a line should have had where it has something else.
enum class Wanted { nothing, row, column, off_diagonal, number, integer, line_end, shorter_line, no_more };

/// As take_number, for an integer, `inf` or `nan`.
template <Scalar T>
const char* take_integer(const char* p, T& to) {
    const char* q = p + (*p == '-' || *p == '+' ? 1 : 0);
    const bool word = (*q | 0x20) == 'i' || (*q | 0x20) == 'n';
    while (is_digit(*q)) {
        ++q;
    }
    return word || ends_token(*q) ? take_number(p, to) : nullptr;
}

/// Reads the value at p, with which the line ends.
template <Scalar T>
Wanted take_value(const char*& p, bool integer, T& to) {
    const char* end = integer ? take_integer(p, to) : take_number(p, to);
    if (end == nullptr) {
        return integer ? Wanted::integer : Wanted::number;
    }
    p = skip_blanks(end);
    return is_line_end(*p) ? Wanted::nothing : Wanted::line_end;
}

/// The place of an entry, from zero, and its value.
template <Scalar T>
struct MatrixMarketEntry {
    Size row = 0;
    Size column = 0;
    T value = 1;
};

/// Reads the entry at p, which moves to the end of its line, or else to what is wrong.
template <Scalar T>
Wanted take_entry(const char*& p, const MatrixMarketHeader& header, MatrixMarketEntry<T>& entry) {
    using Header = MatrixMarketHeader;
    const auto take_index = [](const char*& at, Size limit, Size& to) {
        const char* end = take_whole(at, to);
        if (end == nullptr || !ends_token(*end) || to < 1 || to > limit) {
            return false;
        }
        --to;
        at = skip_blanks(end);
        return true;
    };
    if (!take_index(p, header.rows, entry.row)) {
        return Wanted::row;
    }
    const char* column = p;
    if (!take_index(p, header.columns, entry.column)) {
        return Wanted::column;
    }
    if (header.symmetry == Header::Symmetry::skew_symmetric && entry.row == entry.column) {
        p = column;
        return Wanted::off_diagonal;
    }
    if (header.field == Header::Field::pattern) {
        return is_line_end(*p) ? Wanted::nothing : Wanted::line_end;
    }
    return take_value(p, header.field == Header::Field::integer, entry.value);
}

/// Where going through lines stopped, and why.
struct LineStop {
    const char* line = nullptr;  ///< its beginning
    const char* at = nullptr;    ///< what is there
    Wanted wanted = Wanted::nothing;
};

/// Calls take(p) for each line of a text that is neither blank nor a comment. It gets p at the first character that
/// is no blank, and may move it, but not beyond the end of the line. Stops at the first line where it returns something
/// else, or that is too long.
template <class Take>
LineStop for_each_line(const TextBlock& text, Size longest_line, const Take& take) {
    const char* end = text.end();
    for (const char* p = text.begin(); p != end; ++p) {
        const char* line = p;
        p = skip_blanks(p);
        if (*p != '%' && !is_line_end(*p)) {
            if (const Wanted wanted = take(p); wanted != Wanted::nothing) [[unlikely]] {
                return {line, p, skip_line(p) - line > longest_line ? Wanted::shorter_line : wanted};
            }
        }
        p = skip_line(p);
        if (p - line > longest_line) [[unlikely]] {
            return {line, p, Wanted::shorter_line};
        }
    }
    return {};
}

/// The lines of a block that hold entries, up to the first that should.
struct EntryLines {
    EntryLines(const TextRange& range, Allocator* allocator) : text(range, allocator) {}

    TextBlock text;
    Size lines = 0;
    LineStop stop;
};

/// Throws the error for the line where a block stopped.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_stopped(const TextRange& range, const TextBlock& text,
                                                                const LineStop& stop,
                                                                const MatrixMarketHeader& header) {
    const Source& source = range.source;
    const Size line = line_at(source, text.offset(stop.line));
    const std::string_view token(stop.at, static_cast<std::size_t>(skip_token(stop.at) - stop.at));
    const std::string found = quote_or(token, "the end of the line");
    switch (stop.wanted) {
        case Wanted::row:
            fail_line(source, line, "found ", found, ", wanted a row from 1 to ", header.rows);
        case Wanted::column:
            fail_line(source, line, "found ", found, ", wanted a column from 1 to ", header.columns);
        case Wanted::off_diagonal:
            fail_line(source, line, "found column ", found,
                      " on the diagonal of a skew-symmetric matrix, wanted one off it");
        case Wanted::number:
            fail_line(source, line, "found ", found, ", wanted a number");
        case Wanted::integer:
            fail_line(source, line, "found ", found, ", wanted an integer");
        case Wanted::shorter_line:
            fail_line(source, line, "longer than ", range.longest_line, " bytes, the budget of a line");
        case Wanted::no_more:
            fail_line(source, line, "one more entry than the ", header.entries, " of the header");
        default:
            fail_line(source, line, "found ", found, ", wanted the end of the line");
    }
}

/// Checks a block after `before` entries: neither more of them than the header says, nor a line that holds none.
/// @throws FormatError naming the first line that is wrong
inline void check_lines(const TextRange& range, const EntryLines& block, const MatrixMarketHeader& header,
                        Size before) {
    Size left = header.entries - before;
    if (block.lines > left) [[unlikely]] {
        const auto stop = for_each_line(block.text, range.longest_line,
                                        [&](const char*&) { return left-- > 0 ? Wanted::nothing : Wanted::no_more; });
        fail_stopped(range, block.text, stop, header);
    }
    if (block.stop.wanted != Wanted::nothing) [[unlikely]] {
        fail_stopped(range, block.text, block.stop, header);
    }
}

/// Checks that the text had all entries.
inline void check_end(const TextRange& range, const MatrixMarketHeader& header, Size entries) {
    if (entries < header.entries) [[unlikely]] {
        fail_line(range.source, line_at(range.source, range.source.size()), "the text ends after ", entries, " of the ",
                  header.entries, " entries of the header");
    }
}

}  // namespace snack::inline v0::io::detail
