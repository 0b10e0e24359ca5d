// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Numbers in text. The text ends in a line end and has eight readable bytes behind that, so nothing here looks for
// its end: what is no digit stops digits, of which those of fractions are taken eight at a time.

#include <algorithm>
#include <bit>
#include <cfloat>
#include <charconv>
#include <cstddef>
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
    constexpr std::uint64_t ends = 1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\r';
    const auto code = static_cast<unsigned char>(c);
    return code <= ' ' && (ends >> code & 1) != 0;
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

/// Powers of ten: those of eight digits, and those that a double holds.
inline constexpr std::uint64_t whole_powers[] = {1,       10,        100,        1'000,      10'000,
                                                 100'000, 1'000'000, 10'000'000, 100'000'000};
inline constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Returns how many decimal digits are at p, at most eight, and puts their value into `value`; none leave it as it is.
inline int take_digits(const char* p, std::uint64_t& value) {
    std::uint64_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= 0x3030303030303030u;  // digits become 0 to 9
    // Marks what is no digit; what follows the first of those may be marked wrongly.
    const std::uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    const int count = std::countr_zero(others) / 8;
    if (count == 0) {
        return 0;
    }
    bytes <<= 64 - 8 * count;  // zeros in front of the digits, which end in the highest byte
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffu;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffu;
    value = (bytes * 10'000 + (bytes >> 32)) & 0xffffffffu;
    return count;
}

/// Appends all decimal digits at p to `value`, modulo 2^64. Returns where they end.
inline const char* append_digits(const char* p, std::uint64_t& value) {
    int count = 0;
    do {
        std::uint64_t more = 0;
        count = take_digits(p, more);
        value = value * whole_powers[count] + more;
        p += count;
    } while (count == 8);
    return p;
}

/// Reads the digits at p. Returns where they end; null if there are none, or they pass 2^63 - 1.
inline const char* take_whole(const char* p, Size& to) {
    const char* first = p;
    std::uint64_t value = 0;
    for (unsigned digit = 0; (digit = static_cast<unsigned char>(*p - '0')) < 10; ++p) {
        value = value * 10 + digit;
    }
    to = static_cast<Size>(value);
    if (p - first > 18) [[unlikely]] {  // perhaps zeros in front
        return std::from_chars(first, p, to).ec == std::errc{} ? p : nullptr;
    }
    return p != first ? p : nullptr;
}

/// A positive number, significand * 2^exponent: 64 bits that begin with a one.
struct BinaryPower {
    std::uint64_t significand;
    int exponent;
};

/// 10^e for e from -342 to 308; whole mantissas below 2^64 make no finite double beyond. A significand is less
/// than 1.01 too small: one is what 64 bits drop, and 342 steps drop less than 2^-124 of 128 bits each.
class PowersOfTen {
public:
    static constexpr int lowest = -342;
    static constexpr int count = 308 - lowest + 1;

    constexpr PowersOfTen() {
        Wide up = Wide{1} << 127;  // 10^i and, below, 10^-i, with their exponents
        Wide down = up;
        int up_exponent = -127;
        int down_exponent = -127;
        for (int i = 0; i <= -lowest; ++i) {
            powers_[-lowest - i] = {static_cast<std::uint64_t>(down >> 64), down_exponent + 64};
            if (i - lowest < count) {
                powers_[i - lowest] = {static_cast<std::uint64_t>(up >> 64), up_exponent + 64};
            }
            up = normalized(up / 8 * 5, up_exponent += 4);
            down = normalized(down / 5, down_exponent -= 1);
        }
    }
    constexpr const BinaryPower& operator[](std::size_t index) const { return powers_[index]; }

private:
    __extension__ using Wide = unsigned __int128;

    static constexpr Wide normalized(Wide significand, int& exponent) {
        for (; significand >> 127 == 0; --exponent) {
            significand <<= 1;
        }
        return significand;
    }

    BinaryPower powers_[count] = {};
};
inline constexpr PowersOfTen powers_of_ten;

/// to = mantissa * 10^e, rounded once to nearest; mantissa > 0. False if that is not certain: where it is half way
/// between two numbers, or too close to say, and for results that are subnormal or infinite or not far from it.
template <Scalar T>
bool scale_by_power(std::uint64_t mantissa, Size e, T& to) {
    __extension__ using Wide = unsigned __int128;
    using Limits = std::numeric_limits<T>;
    constexpr int least = std::max(Limits::min_exponent - 62, -1022);
    constexpr int most = Limits::max_exponent - 64;
    const auto index = static_cast<std::size_t>(e - PowersOfTen::lowest);
    if (index >= PowersOfTen::count) {
        return false;
    }
    const BinaryPower& power = powers_of_ten[index];
    const int zeros = std::countl_zero(mantissa);
    const Wide product = static_cast<Wide>(mantissa << zeros) * power.significand;
    const auto near = static_cast<std::uint64_t>(product >> 65);  // from 2^61 on, and less than 1.6 too small
    const int exponent = 65 - zeros + power.exponent;
    const int spare = 64 - std::countl_zero(near) - Limits::digits;
    const std::uint64_t half = std::uint64_t{1} << (spare - 1);
    const std::uint64_t dropped = near & (2 * half - 1);
    if (dropped - (half - 1) <= 1 || static_cast<unsigned>(exponent - least) > static_cast<unsigned>(most - least)) {
        return false;
    }
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
    to = static_cast<T>(static_cast<double>(static_cast<T>(static_cast<Size>(near))) * scale);
    return true;
}

/// What stands for a number beyond the range of T, whose token is given without sign.
template <Scalar T>
T beyond_range(const char* token, const char* end) {
    constexpr Size beyond_all = Size{1} << 62;  // an exponent that no digits of a token make up for
    Size place = 0;                             // of the first digit that is not zero, as an exponent of ten
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
            exponent = *token == '-' ? -beyond_all : beyond_all;
        }
        exponent = std::clamp(exponent, -beyond_all, beyond_all);
    }
    return found && place + exponent > 0 ? std::numeric_limits<T>::infinity() : T{0};
}

/// As take_number, for whatever a number without sign may look like that ends at `end`.
template <Scalar T>
bool read_token(const char* token, const char* end, T& to) {
    const auto [stop, error] = std::from_chars(token, end, to);
    if (stop != end && stop != token && (*stop | 0x20) == 'd') {  // as Fortran writes the exponents of doubles
        std::string copy(token, end);
        copy[static_cast<std::size_t>(stop - token)] = 'e';
        return copy.find_first_of("dD") == std::string::npos && read_token(copy.data(), copy.data() + copy.size(), to);
    }
    if (stop == end && error == std::errc::result_out_of_range) {
        to = beyond_range<T>(token, end);
        return true;
    }
    return stop == end && error == std::errc{};
}

/// As take_number, for whatever a number may look like.
template <Scalar T>
[[gnu::noinline]] const char* take_any_number(const char* p, T& to) {
    const bool negative = *p == '-';
    const char* token = p + (negative || *p == '+' ? 1 : 0);
    const char* end = skip_token(token);
    T magnitude{};
    if (*token == '-' || !read_token(token, end, magnitude)) {
        return nullptr;
    }
    to = negative ? -magnitude : magnitude;
    return end;
}

/// An exponent at p, added to `exponent`. Returns where it ends; null for one of more than four digits, or none.
inline const char* take_exponent(const char* p, Size& exponent) {
    if ((*p | 0x20) != 'e') {
        return nullptr;
    }
    const bool negative = p[1] == '-';
    const char* first = p + (negative || p[1] == '+' ? 2 : 1);
    Size written = 0;
    const char* end = take_whole(first, written);
    if (end == nullptr || end - first > 4 || !ends_token(*end)) {
        return nullptr;
    }
    exponent += negative ? -written : written;
    return end;
}

/// No branch: signs follow no pattern.
template <Scalar T>
T with_sign(T magnitude, bool negative) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<T>(std::bit_cast<Bits>(magnitude) | static_cast<Bits>(negative) << (8 * sizeof(T) - 1));
}

/// Reads the number at p: a decimal number with or without sign, point and exponent (after an `e` or, as Fortran
/// writes it, a `d`), `inf`, `infinity` or `nan`, whatever their case. It is rounded once, to nearest; what is beyond
/// the largest number becomes infinite. Returns where the token ends; null, with `to` as it was, for any other one.
template <Scalar T>
const char* take_number(const char* p, T& to) {
    const bool negative = *p == '-';
    const char* digits = p + (negative || *p == '+' ? 1 : 0);
    const char* end = digits;
    std::uint64_t mantissa = 0;
    if (is_digit(end[0]) && end[1] == '.') {  // as most numbers are printed
        mantissa = static_cast<std::uint64_t>(*end++ - '0');
    } else {
        end = append_digits(end, mantissa);
    }
    const Size places_before = end - digits;
    Size exponent = 0;
    if (*end == '.') {
        const char* point = end + 1;
        end = append_digits(point, mantissa);
        exponent = point - end;
    }
    if (const Size places = places_before - exponent; places < 1 || places > 19) [[unlikely]] {
        return take_any_number(p, to);  // no digits, or more than `mantissa` is sure to hold
    }
    if (!ends_token(*end)) {
        end = take_exponent(end, exponent);
        if (end == nullptr) {
            return take_any_number(p, to);
        }
    }
    T magnitude{};
    constexpr bool plain = FLT_EVAL_METHOD == 0 && std::is_same_v<T, double>;
    if (plain && mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
        const auto exact = static_cast<double>(static_cast<Size>(mantissa));  // one rounding of two exact operands
        magnitude = static_cast<T>(exponent < 0 ? exact / exact_powers[-exponent] : exact * exact_powers[exponent]);
    } else if (exponent == 0 || mantissa == 0) {
        magnitude = static_cast<T>(mantissa);
    } else if (!scale_by_power(mantissa, exponent, magnitude)) [[unlikely]] {
        return take_any_number(p, to);
    }
    to = with_sign(magnitude, negative);
    return end;
}

}  // namespace snack::inline v0::io::detail
