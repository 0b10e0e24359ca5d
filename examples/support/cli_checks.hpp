// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the command lines of the programs share: how a mistake is told, and checks of numbers, so that one ends
// in one line before any work is done.

#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace examples {

/// A command line that cannot be followed; one line that names the option.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Says what went wrong in one line, whatever the text came from; returns the status.
inline int fail(const char* program, std::string text, int status) {
    for (char& c : text) {
        c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    std::fprintf(stderr, "%s: %s\n", program, text.c_str());
    return status;
}

namespace detail {

/// The whole text as a number, or nothing.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

/// What CLI11 calls to check an option's text: an empty answer accepts it.
using Check = std::function<std::string(const std::string&)>;

template <class Number>
Check whole_number(Number least, Number most) {
    return [=](const std::string& text) {
        const std::optional<Number> number = parse_number<Number>(text);
        return number && *number >= least && *number <= most
                   ? std::string()
                   : "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most);
    };
}

/// NaN satisfies no comparison, so it is refused.
inline Check real_number(bool (*accepts)(double), const char* wanted) {
    return [=](const std::string& text) {
        const std::optional<double> number = parse_number<double>(text);
        return number && accepts(*number) ? std::string() : "'" + text + "' is not a number " + wanted;
    };
}

}  // namespace detail

}  // namespace examples
