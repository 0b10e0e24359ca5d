// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Numbers in text. The text ends in a line end and has eight readable bytes behind that, so nothing here looks
// for its end: digits are taken eight at a time, and what is no digit stops them.

#include <bit>
#include <cfloat>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include <snack/core/scalar.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0::io::detail {

/// Bytes behind the last line end of a text that may be read, whatever they hold.
inline constexpr Size text_padding = 8;

inline bool is_digit(char c) {
    return static_cast<unsigned char>(c - '0') < 10;
}
inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
inline bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}
inline bool ends_token(char c) {
    return is_blank(c) || is_line_end(c);
}

inline const char* skip_blanks(const char* p) {
    while (is_blank(*p)) {
        ++p;
    }
    return p;
}
inline const char* skip_token(const char* p) {
    while (!ends_token(*p)) {
        ++p;
    }
    return p;
}
inline const char* skip_line(const char* p) {
    while (!is_line_end(*p)) {
        ++p;
    }
    return p;
}

/// Appends the decimal digits at p, at most eight, to `value` (modulo 2^64). Returns how many they were.
inline int take_digits(const char* p, std::uint64_t& value) {
    constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
    std::uint64_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= 0x3030303030303030u;  // digits become 0 to 9
    const std::uint64_t others =
        ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;  // right up to the first
    const int count = std::countr_zero(others) / 8;
    if (count == 0) {
        return 0;
    }
    bytes <<= 64 - 8 * count;  // zeros in front of the digits, which end in the highest byte
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffu;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffu;
    bytes = (bytes * 10'000 + (bytes >> 32)) & 0xffffffffu;
    value = value * powers[count] + bytes;
    return count;
}

/// Reads the digits at p, which moves behind them. False if there are none, or they pass 2^63 - 1.
inline bool take_whole(const char*& p, Size& to) {
    const char* first = p;
    std::uint64_t value = 0;
    int count = 0;
    do {
        count = take_digits(p, value);
        p += count;
    } while (count == 8);
    to = static_cast<Size>(value);
    if (p - first > 18) [[unlikely]] {  // perhaps zeros in front
        return std::from_chars(first, p, to).ec == std::errc{};
    }
    return p != first;
}

/// mantissa / 10^digits, rounded once to nearest: an integer quotient of 63 or 64 bits, whose lowest bit stands for
/// all that follows. mantissa > 0, digits at most 27: then 5^digits fits, and no result is subnormal.
template <Scalar T>
T divide_by_power(std::uint64_t mantissa, int digits) {
    __extension__ using Wide = unsigned __int128;
    constexpr auto powers = [] {
        struct {
            std::uint64_t of[28] = {1};
        } table;
        for (int i = 1; i < 28; ++i) {
            table.of[i] = table.of[i - 1] * 5;
        }
        return table;
    }();
    const std::uint64_t power = powers.of[digits];
    const int shift = 63 + std::countl_zero(mantissa) - std::countl_zero(power);
    const Wide numerator = static_cast<Wide>(mantissa) << shift;
    const auto quotient = static_cast<std::uint64_t>(numerator / power);
    const bool exact = static_cast<Wide>(quotient) * power == numerator;
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - shift - digits) << 52);
    const auto rounded = static_cast<T>(quotient | (exact ? 0u : 1u));
    return static_cast<T>(static_cast<double>(rounded) * scale);
}

/// What stands for a number beyond the range of T, whose token is given without sign.
template <Scalar T>
T beyond_range(const char* token, const char* end) {
    Size place = 0;  // of the first digit that is not zero, as an exponent of ten
    bool found = false;
    bool fraction = false;
    for (; token != end && (is_digit(*token) || *token == '.'); ++token) {
        fraction = fraction || *token == '.';
        found = found || (*token != '.' && *token != '0');
        place += (found && !fraction) ? 1 : (!found && fraction ? -1 : 0);
    }
    const bool has_exponent = token != end;
    Size exponent = 0;
    if (has_exponent) {
        token += token[1] == '+' ? 2 : 1;
        if (std::from_chars(token, end, exponent).ec != std::errc{}) {
            exponent = *token == '-' ? -max_features : max_features;
        }
    }
    return found && place + exponent > 0 ? std::numeric_limits<T>::infinity() : T{0};
}

/// As take_number, for whatever a number may look like.
template <Scalar T>
[[gnu::noinline]] bool take_any_number(const char*& p, T& to) {
    const bool negative = *p == '-';
    const char* token = p + (negative || *p == '+' ? 1 : 0);
    const char* end = skip_token(token);
    if (token == end || *token == '-') {
        return false;
    }
    std::string copy;
    const char* first = token;
    const char* last = end;
    if (is_digit(*token) || *token == '.') {
        copy.assign(token, end);
        for (char& c : copy) {
            c = c == 'd' || c == 'D' ? 'e' : c;  // as Fortran writes the exponents of doubles
        }
        first = copy.data();
        last = first + copy.size();
    }
    T magnitude{};
    const auto [stop, error] = std::from_chars(first, last, magnitude);
    if (stop != last || error == std::errc::invalid_argument) {
        return false;
    }
    if (error == std::errc::result_out_of_range) {
        magnitude = beyond_range<T>(first, last);
    }
    to = negative ? -magnitude : magnitude;
    p = end;
    return true;
}

/// Reads the number at p, which moves behind it: a decimal number with or without sign, point and exponent (after
/// an `e` or, as Fortran writes it, a `d`), `inf`, `infinity` or `nan`, whatever their case. It is rounded once, to
/// nearest; what is beyond the largest number becomes infinite. False, with p where it was, for anything else.
template <Scalar T>
bool take_number(const char*& p, T& to) {
    constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* q = p;
    const bool negative = *q == '-';
    q += negative || *q == '+' ? 1 : 0;
    const char* digits = q;
    std::uint64_t mantissa = 0;
    int count = 0;
    do {
        count = take_digits(q, mantissa);
        q += count;
    } while (count == 8);
    const char* point = q;
    if (*q == '.') {
        ++q;
        do {
            count = take_digits(q, mantissa);
            q += count;
        } while (count == 8);
    }
    const Size places = q == point ? 0 : q - point - 1;
    const Size length = point - digits + places;
    if (length < 1 || length > 19) [[unlikely]] {  // no digits, or more than `mantissa` is sure to hold
        return take_any_number(p, to);
    }
    Size exponent = -places;
    if (!ends_token(*q)) {
        Size written = 0;
        if ((*q | 0x20) != 'e') {
            return take_any_number(p, to);
        }
        const bool small = q[1] == '-';
        const char* first = q + (small || q[1] == '+' ? 2 : 1);
        q = first;
        if (!take_whole(q, written) || q - first > 4 || !ends_token(*q)) {
            return take_any_number(p, to);
        }
        exponent += small ? -written : written;
    }
    T magnitude{};
    constexpr bool plain = FLT_EVAL_METHOD == 0 && std::is_same_v<T, double>;
    if (plain && mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
        const double exact = static_cast<double>(mantissa);  // one rounding of two exact operands
        magnitude = static_cast<T>(exponent < 0 ? exact / powers[-exponent] : exact * powers[exponent]);
    } else if (exponent == 0 || mantissa == 0) {
        magnitude = static_cast<T>(mantissa);
    } else if (exponent < 0 && exponent >= -27) {
        magnitude = divide_by_power<T>(mantissa, static_cast<int>(-exponent));
    } else {
        return take_any_number(p, to);
    }
    to = negative ? -magnitude : magnitude;
    p = q;
    return true;
}

}  // namespace snack::inline v0::io::detail
