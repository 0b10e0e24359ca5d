// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the command lines of the programs share: how a mistake is told, and checks of numbers, so that one ends
// in one line before any work is done.

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace examples {

/// A command line that cannot be followed; one line that names the option.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Runs the body of a program and returns its status: 0, or after an error, which is told in one line whatever its
/// text came from, 2 if it is one of `Given`, a fault of what the user gave, and else 1.
template <class... Given, class Body>
int run_program(const char* name, const Body& body) {
    std::string text;
    bool given = false;
    try {
        body();
        return 0;
    } catch (const std::bad_alloc&) {
        text = "out of memory";
    } catch (const std::exception& error) {
        text = error.what();
        given = (... || (dynamic_cast<const Given*>(&error) != nullptr));
    }
    for (char& c : text) {
        c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    std::fprintf(stderr, "%s: %s\n", name, text.c_str());
    return given ? 2 : 1;
}

/// Takes a command line in. Returns false if help was asked for and has been printed.
/// @throws UsageError for one that cannot be followed
inline bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
        return true;
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return false;
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
}

/// Threads of the processor, or 1 where nobody knows.
inline int hardware_threads() {
    const auto threads = static_cast<int>(std::thread::hardware_concurrency());
    return threads > 0 ? threads : 1;
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
