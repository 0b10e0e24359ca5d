// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The text of an exception, for tests that read what a user would read.

#include <string>

#include <tests/support/catch.hpp>

namespace tests {

/// Runs `call`, which must throw an E, and returns the text; fails the test if it returns.
template <class E, class Call>
std::string text_of(const Call& call) {
    try {
        call();
    } catch (const E& error) {
        return error.what();
    }
    FAIL("the call returned, an exception was expected");
    return {};
}

/// Whether `part` stands somewhere in `text`.
inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace tests
