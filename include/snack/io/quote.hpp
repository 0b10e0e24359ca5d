// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How messages show text that stands in a file: in quotes, without control bytes, and not at length.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace snack::inline v0::io {

/// At most 80 bytes of the text, cut between characters where it is UTF-8; bytes of control characters become '?', of
/// those too that UTF-8 has in two.
inline std::string shorten(std::string_view text) {
    constexpr std::size_t most = 80;
    std::size_t length = text.size() < most ? text.size() : most;
    while (length < text.size() && length > most - 4 && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u) {
        --length;
    }
    std::string shown(text.substr(0, length));
    bool leads = false;  // the byte before may begin such a pair
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto byte = static_cast<unsigned char>(shown[i]);
        if (byte < 0x20 || byte == 0x7f) {
            shown[i] = '?';
        } else if (leads && byte >= 0x80 && byte < 0xa0) {
            shown[i - 1] = shown[i] = '?';
        }
        leads = byte == 0xc2;
    }
    return length < text.size() ? shown + "..." : shown;
}

/// A part of a message, put together only if there is one.
struct Quoted {
    std::string_view text;

    friend std::string& operator+=(std::string& message, const Quoted& part) {
        return message.append("'").append(shorten(part.text)).append("'");
    }
};

inline Quoted quote(std::string_view text) {
    return {text};
}

/// The first of many names, each in quotes, and how many more there are.
inline std::string quote_all(std::span<const std::string> names) {
    constexpr std::size_t most = 8;
    std::string list;
    for (const std::string& name : names.first(std::min(names.size(), most))) {
        list += list.empty() ? "" : ", ";
        list += quote(name);
    }
    return names.size() <= most ? list : list + " and " + std::to_string(names.size() - most) + " more";
}

/// The text in quotes, or `otherwise` if there is none.
inline std::string quote_or(std::string_view text, const char* otherwise) {
    return text.empty() ? otherwise : std::string(1, '\'').append(shorten(text)).append(1, '\'');
}

}  // namespace snack::inline v0::io
