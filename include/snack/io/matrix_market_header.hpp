// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a Matrix Market file says of itself: the banner, the comments after it, and the line with the sizes.
// Letters may have any case; the sizes are compared with the bytes that follow them.

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include <snack/io/text_lines.hpp>

namespace snack::inline v0::io {

/// What banner and sizes say; checked against the bytes of the file.
struct MatrixMarketHeader {
    enum class Format { coordinate, array };
    enum class Field { real, integer, pattern };
    enum class Symmetry { general, symmetric, skew_symmetric };

    Format format = Format::coordinate;
    Field field = Field::real;
    Symmetry symmetry = Symmetry::general;
    Size rows = 0;
    Size columns = 0;
    Size entries = 0;      ///< lines that follow, one an entry
    Size data_offset = 0;  ///< where they begin, in bytes
};

namespace detail {

/// The place of `word`, in any case, among lower-case `names`; -1 if it is none of them.
template <std::size_t count>
int find_word(std::string_view word, const char* const (&names)[count]) {
    const auto equal = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; };
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view name = names[i];
        if (std::equal(word.begin(), word.end(), name.begin(), name.end(), equal)) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

/// As find_word for the next word of a banner, which must be one of `names`.
template <std::size_t count>
int require_word(const TextLines& lines, std::string_view& line, const char* const (&names)[count]) {
    const std::string_view word = next_word(line);
    const int found = find_word(word, names);
    if (found < 0) {
        std::string wanted = names[0];
        for (std::size_t i = 1; i < count; ++i) {
            wanted += std::string(", ") + names[i];
        }
        lines.fail("found ", quote(word), ", wanted one of: ", wanted);
    }
    return found;
}

/// Reads the first line.
/// @throws FormatError; UnsupportedError for complex numbers
inline void read_banner(const Source& source, TextLines& lines, MatrixMarketHeader& header) {
    using Header = MatrixMarketHeader;
    const char* where = source.name().c_str();
    std::string_view line;
    require<FormatError>(lines.next(line), where, "is empty, wanted the banner %%MatrixMarket");
    const bool indented = !line.empty() && is_blank(line[0]);
    if (const auto word = next_word(line); indented || find_word(word, {"%%matrixmarket"}) < 0) {
        lines.fail("found ", quote(word), ", wanted the banner %%MatrixMarket");
    }
    require_word(lines, line, {"matrix"});
    const int format = require_word(lines, line, {"coordinate", "array"});
    const int field =
        require_word(lines, line, {"real", "integer", "pattern", "double", "unsigned-integer", "complex"});
    const int symmetry = require_word(lines, line, {"general", "symmetric", "skew-symmetric", "hermitian"});
    if (const auto rest = next_word(line); !rest.empty()) {
        lines.fail("found ", quote(rest), ", wanted the end of the banner");
    }
    const bool complex = field == 5;
    if ((symmetry == 3 && !complex) || (field == 2 && (symmetry >= 2 || format == 1))) {
        lines.fail(
            "the words of the banner contradict each other: hermitian goes with complex, pattern with coordinate "
            "and general or symmetric");
    }
    require<UnsupportedError>(!complex, where, "line 1: complex matrices are not supported");
    header.format = Header::Format{format};
    header.field = Header::Field{field % 3};
    header.symmetry = Header::Symmetry{symmetry};
}

/// Reads the first line that is neither blank nor a comment.
inline void read_sizes(const Source& source, TextLines& lines, MatrixMarketHeader& header) {
    std::string_view line;
    std::string_view word;
    do {
        require<FormatError>(lines.next(line), source.name().c_str(), "ends after line ", lines.number(),
                             ", wanted the line with the sizes");
        word = next_word(line);
    } while (word.empty() || word[0] == '%');
    const auto size = [&](const char* what) {
        Size value = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || stop != word.data() + word.size() || value < 0) {
            lines.fail("found ", quote(word), ", wanted the number of ", what);
        }
        word = next_word(line);
        return value;
    };
    header.rows = size("rows");
    header.columns = size("columns");
    header.entries = header.format == MatrixMarketHeader::Format::coordinate ? size("entries") : 0;
    if (!word.empty()) {
        lines.fail("found ", quote(word), ", wanted the end of the line with the sizes");
    }
    header.data_offset = lines.end();
}

/// The elements of an array that its file holds: all, or those of the lower triangle. At most 2^63 - 1.
inline Size cells_in_file(const MatrixMarketHeader& header) {
    __extension__ using Wide = __int128;
    const bool general = header.symmetry == MatrixMarketHeader::Symmetry::general;
    const int diagonal = header.symmetry == MatrixMarketHeader::Symmetry::symmetric ? 1 : -1;
    const Wide rows = header.rows;
    const Wide cells = general ? rows * header.columns : rows * (rows + diagonal) / 2;
    return static_cast<Size>(std::min(cells, Wide{std::numeric_limits<Size>::max()}));
}

/// Compares the sizes with each other, the budget and the bytes that follow.
inline void check_sizes(const Source& source, const TextLines& lines, const Budget& budget,
                        const MatrixMarketHeader& header) {
    using Header = MatrixMarketHeader;
    const bool coordinate = header.format == Header::Format::coordinate;
    const Size shortest =
        !coordinate ? 2 : (header.field == Header::Field::pattern ? 4 : 6);  // "1\n", "1 1\n", "1 1 1\n"
    const Size bytes = source.size() - header.data_offset;
    if (header.symmetry != Header::Symmetry::general && header.rows != header.columns) {
        lines.fail("a symmetric matrix of ", header.rows, " rows and ", header.columns, " columns");
    }
    if (header.entries > budget.elements) {
        lines.fail(header.entries, " entries, the budget is ", budget.elements);
    }
    if (header.entries > (bytes + 1) / shortest) {
        lines.fail(header.entries, " entries do not fit into the ", bytes, " bytes that follow");
    }
    if (coordinate && header.rows > budget.features_in(source.size())) {
        lines.fail(header.rows, " rows in ", source.size(), " bytes, the budget is ",
                   budget.features_in(source.size()));
    }
}

}  // namespace detail

/// Reads the header, not the entries. O(header) time; memory of the longest line.
/// @throws FormatError naming the line; UnsupportedError for complex numbers; FileError
inline MatrixMarketHeader read_matrix_market_header(const Source& source, const Budget& budget = {}) {
    detail::TextLines lines(source, budget);
    MatrixMarketHeader header;
    detail::read_banner(source, lines, header);
    detail::read_sizes(source, lines, header);
    if (header.format == MatrixMarketHeader::Format::array) {
        header.entries = detail::cells_in_file(header);
    }
    detail::check_sizes(source, lines, budget, header);
    return header;
}

}  // namespace snack::inline v0::io
