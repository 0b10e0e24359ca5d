// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where indices of 16 bits end and those of 32 begin.

#include <type_traits>
#include <utility>

#include <snack/backends/host/narrow_array.hpp>
#include <tests/support/catch.hpp>

using snack::Size;
using snack::detail::host::NarrowArray;

namespace {

/// Bits of an element.
Size width_of(const NarrowArray& array) {
    Size width = 0;
    array.visit([&](const auto* elements) { width = 8 * static_cast<Size>(sizeof *elements); });
    return width;
}

}  // namespace

TEST_CASE("indices take 16 bits as long as all of them fit", "[backends]") {
    for (const Size bound : {0, 1, 2, 65535, 65536}) {
        CAPTURE(bound);
        const NarrowArray array(10, bound, nullptr);
        CHECK(width_of(array) == 16);
        CHECK(array.bytes() == 20);
    }
    for (const Size bound : {Size{65537}, Size{1} << 31, Size{1} << 32}) {
        CAPTURE(bound);
        const NarrowArray array(10, bound, nullptr);
        CHECK(width_of(array) == 32);
        CHECK(array.bytes() == 40);
    }
}

TEST_CASE("the largest index of either width is held", "[backends]") {
    for (const Size bound : {Size{65536}, Size{65537}, Size{1} << 32}) {
        NarrowArray array(3, bound, nullptr);

        array.visit(
            [&](auto* elements) { elements[2] = static_cast<std::remove_pointer_t<decltype(elements)>>(bound - 1); });

        Size got = 0;
        std::as_const(array).visit([&](const auto* elements) { got = static_cast<Size>(elements[2]); });
        CHECK(got == bound - 1);
    }
}

TEST_CASE("an array of no indices takes no memory", "[backends]") {
    CHECK(NarrowArray(0, 70000, nullptr).bytes() == 0);
}
