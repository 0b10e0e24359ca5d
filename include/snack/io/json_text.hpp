// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Text as JSON has it, for headers that are written without a JSON library: which bytes are UTF-8, and what must be
// escaped.

#include <cstddef>
#include <string>
#include <string_view>

namespace snack::inline v0::io::detail {

/// Of the UTF-8 character that begins the text; 0 if none does.
inline std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const unsigned first = byte(0);
    const unsigned second = byte(1);
    if (first < 0x80) {
        return text.empty() ? 0 : 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return continues(1) ? 2 : 0;
    }
    if ((first & 0xf0u) == 0xe0) {  // no number that needs fewer bytes, and no half of a pair of UTF-16
        const bool legal = (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0);
        return legal && continues(1) && continues(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool legal = (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90);
        return legal && continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

inline bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

/// The text as a JSON string, escaped where it must be.
inline void append_json(std::string& json, std::string_view text) {
    constexpr std::string_view short_escapes = "\"\\\b\f\n\r\t";
    json += '"';
    for (const char c : text) {
        const std::size_t at = short_escapes.find(c);
        if (at != std::string_view::npos) {
            json += '\\';
            json += "\"\\bfnrt"[at];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            json += "\\u00";
            json += c < 0x10 ? '0' : '1';
            json += "0123456789abcdef"[c & 0xf];
        } else {
            json += c;
        }
    }
    json += '"';
}

}  // namespace snack::inline v0::io::detail
