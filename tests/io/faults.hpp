// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Files that a reader must refuse, and what it must say of each.

#include <string>

#include <tests/io/text_source.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

namespace tests {

struct Fault {
    std::string file;
    std::string message;  ///< a part of it
};

/// Calls read(source), which must throw an E that says so and names the source.
template <class E, class Read>
void check_refused(const Fault& fault, const Read& read) {
    CAPTURE(fault.file);

    const std::string message = text_of<E>([&] { read(TextSource(fault.file)); });

    CAPTURE(message);
    CHECK(contains(message, "text: "));
    CHECK(contains(message, fault.message));
}

}  // namespace tests
