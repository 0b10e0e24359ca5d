// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Tests that this machine cannot run are counted, not passed: a program that could run none of those it was
// asked for ends with status 77, as ctest's runs of one test each do.

#include <string>

#include <tests/support/catch.hpp>

namespace tests {

inline int skipped_tests = 0;

/// Says that the running test case is skipped; it returns next.
inline void skip(const std::string& reason) {
    ++skipped_tests;
    WARN("skipped: " << reason);
}

}  // namespace tests
