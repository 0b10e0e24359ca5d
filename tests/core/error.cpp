// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One base, one function to throw through, and a text that a user can act on.

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <snack/core/error.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::text_of;

TEST_CASE("a condition that holds throws nothing", "[core][error]") {
    REQUIRE_NOTHROW(require<ShapeError>(true, "call", "never read"));
}

TEST_CASE("a condition that fails throws the call, a colon and the parts", "[core][error]") {
    const std::string text = text_of<ShapeError>([] {
        require<ShapeError>(false, "SparseLinear::forward", "x has ", 512, " features, the layer takes ", Size{784});
    });

    CHECK(text == "SparseLinear::forward: x has 512 features, the layer takes 784");
}

TEST_CASE("numbers of every integer type are printed whole", "[core][error]") {
    const std::string text = text_of<Error>([] {
        require<Error>(false, "w", std::numeric_limits<signed char>::min(), " ",
                       std::numeric_limits<unsigned char>::max(), " ", std::numeric_limits<short>::min(), " ",
                       std::numeric_limits<unsigned>::max(), " ", std::numeric_limits<long long>::min(), " ",
                       std::numeric_limits<unsigned long long>::max());
    });

    CHECK(text == "w: -128 255 -32768 4294967295 -9223372036854775808 18446744073709551615");
}

TEST_CASE("a real number is printed as short as it can be read back", "[core][error]") {
    const auto printed = [](double number) {
        return text_of<Error>([&] { require<Error>(false, "w", number); }).substr(3);
    };

    CHECK(printed(0.1) == "0.1");
    CHECK(printed(1.5) == "1.5");
    CHECK(printed(-0.0) == "-0");
    CHECK(std::stod(printed(1.0 / 3)) == 1.0 / 3);
    CHECK(std::stod(printed(std::nextafter(1.0, 2.0))) == std::nextafter(1.0, 2.0));
    CHECK(printed(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(printed(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEMPLATE_TEST_CASE("each kind of error can be caught as itself and as the base", "[core][error]", ShapeError,
                   TopologyError, ArgumentError, FormatError, UnsupportedError) {
    const auto call = [] { require<TestType>(false, "call", "reason"); };

    REQUIRE_THROWS_AS(call(), TestType);
    REQUIRE_THROWS_AS(call(), Error);
    REQUIRE_THROWS_AS(call(), std::runtime_error);
}

template <class A, class B>
inline constexpr bool unrelated = !std::is_base_of_v<A, B> && !std::is_base_of_v<B, A>;
static_assert(unrelated<ShapeError, TopologyError> && unrelated<ShapeError, ArgumentError>);
static_assert(unrelated<TopologyError, ArgumentError> && unrelated<FormatError, UnsupportedError>);
