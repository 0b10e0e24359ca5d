// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Numbers as text for people: printf into a string, counts in groups of three digits, and bytes
// with a unit.

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

#include <snack/core/types.hpp>

namespace examples {

using snack::Size;

/// printf into a string, cut at 255 characters.
[[gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
    std::array<char, 256> buffer{};
    va_list values;
    va_start(values, pattern);
    std::vsnprintf(buffer.data(), buffer.size(), pattern, values);
    va_end(values);
    return buffer.data();
}

/// 2794000 as 2,794,000.
inline std::string format_count(Size count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3) {
        digits.insert(at - 3, 1, ',');
    }
    return digits;
}

/// 558760 as 558.8 kB.
inline std::string format_bytes(Size bytes) {
    const auto number = static_cast<double>(bytes);
    if (number < 1e3) {
        return format("%.0f B", number);
    }
    return number < 1e6 ? format("%.1f kB", number / 1e3) : format("%.2f MB", number / 1e6);
}

/// A part of a whole, in per cent; "-" of nothing.
inline std::string format_share(Size part, Size whole) {
    return whole == 0 ? "-" : format("%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace examples
