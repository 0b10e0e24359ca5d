// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The exceptions of the library and the one function they leave through.
// A check stands before anything is written, and its text says which call, what came and what
// was wanted: `SparseLinear::forward: x has 512 features, the layer takes 784`.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// Base of every exception the library throws on purpose.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A view, span or file has the wrong extent, stride or layout.
class ShapeError : public Error {
public:
    using Error::Error;
};

/// Coordinates out of range, duplicated or unsorted, or an object of another topology.
class TopologyError : public Error {
public:
    using Error::Error;
};

/// An argument that means nothing here: sparsity 1.5, zero threads, a NaN fraction, memory of another device.
class ArgumentError : public Error {
public:
    using Error::Error;
};

/// Bytes that are not what their format promises.
class FormatError : public Error {
public:
    using Error::Error;
};

/// A file that cannot be opened, read or written, or is no regular file.
class FileError : public Error {
public:
    using Error::Error;
};

/// A request that is well-formed but that this object cannot serve.
class UnsupportedError : public Error {
public:
    using Error::Error;
};

namespace detail {

/// Appends a text, a whole number, or a floating-point number in as few digits as name it.
template <class Part>
void append(std::string& text, const Part& part) {
    if constexpr (std::is_floating_point_v<Part>) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%g", static_cast<double>(part));
        if (std::strtod(digits, nullptr) != static_cast<double>(part)) {
            std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(part));
        }
        text += digits;
    } else if constexpr (std::is_integral_v<Part>) {
        text += std::to_string(part);
    } else {
        text += part;
    }
}

/// Throws E, or prints the text and aborts where exceptions are switched off.
template <class E>
[[noreturn]] void raise(const std::string& text) {
#if defined(__cpp_exceptions)
    throw E(text);
#else
    std::fprintf(stderr, "snack: %s\n", text.c_str());
    std::abort();
#endif
}

template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const char* where, const Parts&... parts) {
    std::string text = where;
    text += ": ";
    (append(text, parts), ...);
    raise<E>(text);
}

}  // namespace detail

/// Throws E with the text "where: parts..." unless `condition` holds.
/// The text is put together only on failure.
template <class E, class... Parts>
void require(bool condition, const char* where, const Parts&... parts) {
    if (!condition) [[unlikely]] {
        detail::fail<E>(where, parts...);
    }
}

}  // namespace snack::inline v0
