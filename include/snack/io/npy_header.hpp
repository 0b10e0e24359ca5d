// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The header of NumPy's .npy files, versions 1 to 3: a magic string, a length, and a Python dictionary with the keys
// descr, fortran_order and shape. The sizes that it gives are compared with the bytes that follow it.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <snack/io/dtype.hpp>
#include <snack/io/quote.hpp>
#include <snack/io/source.hpp>

namespace snack::inline v0::io {

/// What the dictionary says; checked against the bytes of the file.
struct NpyHeader {
    DType dtype = DType::F64;
    bool big_endian = false;  ///< of elements of two bytes or more
    bool fortran_order = false;
    std::vector<Size> shape;  ///< empty for a single element
    Size elements = 0;
    Size data_offset = 0;  ///< where they begin, in bytes
};

namespace detail {

/// Reads the dictionary: as much of Python's syntax as NumPy has ever written, and nothing else.
class NpyDictionary {
public:
    NpyDictionary(const Source& source, const Budget& budget, std::string_view text, Size offset)
        : source_(source), most_dimensions_(budget.dimensions), text_(text), offset_(offset) {}

    void read(NpyHeader& header) {
        bool seen[3] = {};
        expect('{');
        while (!take('}')) {
            read_item(header, seen);
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        constexpr const char* names[] = {"descr", "fortran_order", "shape"};
        for (int i = 0; i < 3; ++i) {
            require<FormatError>(seen[i], source_.name().c_str(), "byte ", offset_ + static_cast<Size>(at_),
                                 ": the header has no '", names[i], "'");
        }
        skip_spaces();
        if (at_ != text_.size()) {
            fail_here("the end of the header");
        }
    }

private:
    [[noreturn]] void fail_here(const char* wanted) const {
        const std::string found = quote_or(text_.substr(at_, 24), "the end of the header");
        snack::detail::fail<FormatError>(source_.name().c_str(), "byte ", offset_ + static_cast<Size>(at_), ": found ",
                                         found, ", wanted ", wanted);
    }

    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
            ++at_;
        }
    }

    /// Goes past the character, if it is the next one.
    bool take(char c) {
        skip_spaces();
        const bool found = at_ < text_.size() && text_[at_] == c;
        at_ += found ? 1 : 0;
        return found;
    }
    void expect(char c) {
        const char wanted[] = {'\'', c, '\'', 0};
        if (!take(c)) {
            fail_here(wanted);
        }
    }
    bool take_word(std::string_view word) {
        skip_spaces();
        const bool found = text_.substr(at_, word.size()) == word;
        at_ += found ? word.size() : 0;
        return found;
    }

    /// A string in either kind of quotes, without escapes.
    std::string_view read_string(const char* wanted) {
        skip_spaces();
        const char quotes = at_ < text_.size() ? text_[at_] : ' ';
        const std::size_t end = quotes == '\'' || quotes == '"' ? text_.find(quotes, at_ + 1) : std::string_view::npos;
        if (end == std::string_view::npos) {
            fail_here(wanted);
        }
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        if (inside.find('\\') != std::string_view::npos) {
            fail_here("a string without escapes");
        }
        at_ = end + 1;
        return inside;
    }

    void read_item(NpyHeader& header, bool (&seen)[3]) {
        const std::size_t begin = at_;
        const std::string_view key = read_string("a key");
        const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
        if (which < 0 || std::exchange(seen[which], true)) {
            at_ = begin;
            fail_here("each of 'descr', 'fortran_order', 'shape' once, and no other key");
        }
        expect(':');
        if (which == 0) {
            read_descr(header);
        } else if (which == 1) {
            header.fortran_order = take_word("True");
            if (!header.fortran_order && !take_word("False")) {
                fail_here("True or False");
            }
        } else {
            read_shape(header.shape);
        }
    }

    void read_shape(std::vector<Size>& shape) {
        expect('(');
        while (!take(')')) {
            Size extent = 0;
            skip_spaces();
            const char* first = text_.data() + at_;
            const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), extent);
            if (error != std::errc{} || extent < 0) {
                fail_here("an extent below 2^63");
            }
            at_ += static_cast<std::size_t>(stop - first);
            take_word("L");  // as Python 2 wrote some integers
            shape.push_back(extent);
            require<FormatError>(static_cast<Size>(shape.size()) <= most_dimensions_, source_.name().c_str(), "byte ",
                                 offset_ + static_cast<Size>(first - text_.data()), ": the shape has more than ",
                                 most_dimensions_, " dimensions, the budget");
            if (!take(',')) {
                if (shape.size() == 1) {
                    fail_here("',': (3) is a number, (3,) a shape");
                }
                expect(')');
                break;
            }
        }
    }

    /// The type, as `<f4`: a byte order, a kind, bytes an element.
    void read_descr(NpyHeader& header) {
        struct Type {
            std::string_view name;
            DType dtype;
        };
        constexpr Type types[] = {{"f8", DType::F64}, {"f4", DType::F32}, {"f2", DType::F16}, {"i8", DType::I64},
                                  {"i4", DType::I32}, {"i2", DType::I16}, {"i1", DType::I8},  {"u8", DType::U64},
                                  {"u4", DType::U32}, {"u2", DType::U16}, {"u1", DType::U8},  {"b1", DType::BOOL}};
        const char* where = source_.name().c_str();
        skip_spaces();
        const char next = at_ < text_.size() ? text_[at_] : ' ';
        require<UnsupportedError>(next != '[' && next != '(', where, "byte ", offset_ + static_cast<Size>(at_),
                                  ": structured types are not supported, wanted a type as '<f4'");
        const std::size_t begin = at_;
        const std::string_view descr = read_string("a type");
        const char order = descr.empty() ? ' ' : descr[0];
        if (descr.size() < 2 || (order != '<' && order != '>' && order != '=' && order != '|')) {
            at_ = begin;
            fail_here("a type as '<f4'");
        }
        const Size at = offset_ + static_cast<Size>(begin);
        for (const Type& type : types) {
            if (type.name == descr.substr(1)) {
                header.dtype = type.dtype;
                const bool single = bytes_of(type.dtype) == 1;
                require<FormatError>(single || order != '|', where, "byte ", at, ": type ", quote(descr),
                                     " has no byte order");
                header.big_endian = order == '>' && !single;
                return;
            }
        }
        snack::detail::fail<UnsupportedError>(where, "byte ", at, ": type ", quote(descr),
                                              " is not supported, wanted f2, f4, f8, i1 to i8, u1 to u8 or b1");
    }

    const Source& source_;
    Size most_dimensions_;
    std::string_view text_;
    Size offset_;
    std::size_t at_ = 0;
};

/// The number of elements, whose bytes must be exactly those that are left.
inline void check_npy_size(const Source& source, const Budget& budget, NpyHeader& header) {
    const char* where = source.name().c_str();
    bool fits = true;
    bool empty = false;
    Size product = 1;  // without extents of zero, so that parts of it cannot pass 2^63 either
    for (const Size extent : header.shape) {
        fits = fits && (extent == 0 || !__builtin_mul_overflow(product, extent, &product));
        empty = empty || extent == 0;
    }
    header.elements = empty ? 0 : product;
    Size bytes = 0;
    fits = fits && !__builtin_mul_overflow(header.elements, bytes_of(header.dtype), &bytes);
    require<FormatError>(fits, where, "the shape has more than 2^63 - 1 bytes");
    require<FormatError>(header.elements <= budget.elements, where, header.elements, " elements, the budget is ",
                         budget.elements);
    const Size left = source.size() - header.data_offset;
    require<FormatError>(bytes == left, where, "byte ", header.data_offset, ": ", left, " bytes follow, ",
                         header.elements, " elements of ", name_of(header.dtype), " have ", bytes);
}

}  // namespace detail

/// Reads the header, not the elements. O(header) time and memory.
/// @throws FormatError; UnsupportedError for types other than floats of 2, 4 and 8 bytes, integers and bool, and for
///         versions above 3; FileError
inline NpyHeader read_npy_header(const Source& source, const Budget& budget = {}) {
    const char* where = source.name().c_str();
    std::array<std::uint8_t, 12> start{};
    const std::string_view magic = "\x93NUMPY";
    require<FormatError>(source.size() >= 10, where, "has ", source.size(), " bytes, an npy header has more");
    source.read(0, std::as_writable_bytes(std::span(start)).first(10));
    require<FormatError>(std::equal(magic.begin(), magic.end(), start.begin(),
                                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }),
                         where, "byte 0: does not begin as an npy file, with \\x93NUMPY");
    const int version = start[6];
    require<UnsupportedError>(version >= 1 && version <= 3 && start[7] == 0, where, "byte 6: npy version ", version,
                              ".", int{start[7]}, ", supported are 1.0 to 3.0");
    const Size prefix = version == 1 ? 10 : 12;
    require<FormatError>(source.size() >= prefix, where, "ends inside the length of the header");
    source.read(0, std::as_writable_bytes(std::span(start)).first(static_cast<std::size_t>(prefix)));
    Size length = start[8] | Size{start[9]} << 8;
    length |= version == 1 ? 0 : Size{start[10]} << 16 | Size{start[11]} << 24;
    require<FormatError>(length <= budget.header_bytes, where, "byte 8: a header of ", length, " bytes, the budget is ",
                         budget.header_bytes);
    require<FormatError>(length <= source.size() - prefix, where, "byte 8: a header of ", length, " bytes, ",
                         source.size() - prefix, " follow");
    std::string text(static_cast<std::size_t>(length), ' ');
    source.read(prefix, std::as_writable_bytes(std::span(text)));
    NpyHeader header;
    detail::NpyDictionary(source, budget, text, prefix).read(header);
    header.data_offset = prefix + length;
    detail::check_npy_size(source, budget, header);
    return header;
}

}  // namespace snack::inline v0::io
