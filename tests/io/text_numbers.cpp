// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers are read as the C library reads them, to the last bit, whatever they look like.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <snack/io/text_numbers.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/same_bits.hpp>

using namespace snack;
using tests::same_bits;
namespace text = snack::io::detail;

namespace {

/// Reads a whole token; false also if something of it is left.
template <class T>
bool read(const std::string& token, T& value) {
    const std::string padded = token + "\n        ";
    return text::take_number(padded.data(), value) == padded.data() + token.size();
}

template <class T>
T of_the_c_library(const std::string& token) {
    if constexpr (std::is_same_v<T, float>) {
        return std::strtof(token.c_str(), nullptr);
    } else {
        return std::strtod(token.c_str(), nullptr);
    }
}

const std::vector<std::string> tokens = {"0",
                                         "-0",
                                         "+0",
                                         "0.0",
                                         "-0.0",
                                         "00",
                                         "1",
                                         "+1",
                                         "-1",
                                         "0001",
                                         "1.",
                                         ".5",
                                         "-.5",
                                         "+.5",
                                         "1.5",
                                         "12345678",
                                         "123456789",
                                         "1234567890123456789",
                                         "12345678901234567890",
                                         "9007199254740992",
                                         "9007199254740993",
                                         "9007199254740993.0",
                                         "9007199254740992.5",
                                         "2147483648",
                                         "-9223372036854775808",
                                         "18446744073709551615",
                                         "16777217",
                                         "16777219",
                                         "33554435",
                                         "1e0",
                                         "1E5",
                                         "1e+5",
                                         "1e-5",
                                         "1.e5",
                                         "1e22",
                                         "1e23",
                                         "1e-22",
                                         "1e-23",
                                         "123e-20",
                                         "3e-27",
                                         "3e-28",
                                         "0.1",
                                         "0.2",
                                         "0.3",
                                         "1.1",
                                         "0.12345678901234567",
                                         "0.98765432109876543",
                                         "-.12565458736262625",
                                         ".009802252263062083",
                                         "1.6518450433009226",
                                         "277281165.183",
                                         "3.4028234663852886e38",
                                         "3.4028235677973366e38",
                                         "3.4028235677973367e38",
                                         "1e39",
                                         "1.7976931348623157e308",
                                         "1.7976931348623159e308",
                                         "1e309",
                                         "-1e309",
                                         "1e99999",
                                         "1e999999999999999999999",
                                         "0e999999999999999999999",
                                         "1e-999999999999999999999",
                                         "1e9223372036854775807",
                                         "10.5e+9223372036854775806",
                                         "0.01e-9223372036854775807",
                                         "0.001e-9223372036854775808",
                                         "0e-9223372036854775808",
                                         "4.9406564584124654e-324",
                                         "2.4703282292062327e-324",
                                         "2.4703282292062328e-324",
                                         "1e-400",
                                         "-1e-400",
                                         "2.2250738585072014e-308",
                                         "2.2250738585072011e-308",
                                         "1.401298464324817e-45",
                                         "7.006492321624085e-46",
                                         "7.006492321624086e-46",
                                         "1.1754943508222875e-38",
                                         "1.1754942e-38",
                                         "1e-50",
                                         "0.000000000000000000000000001",
                                         "100000000000000000000000000000000000000000",
                                         "0.00000000000000000000000000000000000000000000000000001",
                                         "8.5899345920000001e9",
                                         "5e-1",
                                         "1e0000000000000000000005",
                                         "0.5000000000000000000000000000000000000000001",
                                         "1.00000005960464477539062500",
                                         "1.000000059604644775390625001",
                                         "1.000000059604644775390624999",
                                         "1.00000011920928955078125",
                                         "9.999999999999999999999",
                                         "inf",
                                         "-inf",
                                         "+inf",
                                         "Inf",
                                         "INF",
                                         "infinity",
                                         "-Infinity"};

}  // namespace

TEMPLATE_TEST_CASE("numbers of every look are rounded as by the C library", "[io][text]", float, double) {
    for (const std::string& token : tokens) {
        CAPTURE(token);
        TestType value{};

        REQUIRE(read(token, value));

        CHECK(same_bits(value, of_the_c_library<TestType>(token)));
    }
}

TEMPLATE_TEST_CASE("random digits are rounded as by the C library", "[io][text]", float, double) {
    std::mt19937_64 dice(7);
    for (int round = 0; round < 100'000; ++round) {
        std::string token(dice() % 2, '-');
        token.append(std::to_string(dice() >> dice() % 64));
        if (dice() % 4 != 0) {
            token.insert(token.size() - dice() % (token.size() - token.find_first_of("0123456789") + 1), ".");
        }
        if (dice() % 2 == 0) {
            const int most = dice() % 2 == 0 ? 30 : 350;
            token.append("e").append(std::to_string(static_cast<int>(dice() % 700) * most / 350 - most));
        }
        CAPTURE(token);
        TestType value{};

        REQUIRE(read(token, value));

        REQUIRE(same_bits(value, of_the_c_library<TestType>(token)));
    }
}

TEMPLATE_TEST_CASE("numbers half way between two others are rounded to even, and those just above it up", "[io][text]",
                   float, double) {
    std::mt19937_64 dice(11);
    constexpr int digits = std::numeric_limits<TestType>::digits;
    for (int round = 0; round < 20'000; ++round) {
        const std::uint64_t odd = (dice() >> (64 - digits - 1)) | 1;  // one binary digit too many
        const int places = 1 + static_cast<int>(dice() % 8);
        std::string token = std::to_string(odd);
        token.append(".").append(static_cast<std::size_t>(places), '0');
        if (dice() % 2 == 0) {
            token.back() = '1';
        }
        CAPTURE(token);
        TestType value{};

        REQUIRE(read(token, value));

        REQUIRE(same_bits(value, of_the_c_library<TestType>(token)));
    }
}

TEMPLATE_TEST_CASE("digits that end next to half way between two numbers are rounded as by the C library", "[io][text]",
                   float, double) {
    std::mt19937_64 dice(13);
    using Bits = std::conditional_t<sizeof(TestType) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<TestType>::infinity());
    for (int round = 0; round < 50'000; ++round) {
        const auto below = std::bit_cast<TestType>(static_cast<Bits>(dice() % (infinity - 1)));
        const auto above = std::nextafter(below, std::numeric_limits<TestType>::infinity());
        const long double half_way = (static_cast<long double>(below) + static_cast<long double>(above)) / 2;
        char token[40];
        std::snprintf(token, sizeof token, "%.*Le", 16 + static_cast<int>(dice() % 3), half_way);
        CAPTURE(token);
        TestType value{};

        REQUIRE(read(token, value));

        REQUIRE(same_bits(value, of_the_c_library<TestType>(token)));
    }
}

TEST_CASE("an exponent may be written as Fortran does", "[io][text]") {
    double value = 0;
    REQUIRE(read("1.5D+03", value));
    CHECK(value == 1500);
    REQUIRE(read("-2d-1", value));
    CHECK(value == -0.2);
    REQUIRE(read(".25D0", value));
    CHECK(value == 0.25);
}

TEST_CASE("what is not a number is not read", "[io][text]") {
    for (const char* token :
         {"",    "-",     "+",     ".",    "-.",    "e5", "1e",   "1e+",  "1e-", "1ee5",    "1.2.3", "--1",
          "+-1", "-+1",   "1,5",   "0x10", "0x1p3", "1f", "1e5x", "nanx", "in",  "infinit", "na",    "i",
          "n",   "1_000", "1e5.5", "\xff", "1\xff", "%",  "1%",   "d5",   "1d",  "1dd5"}) {
        CAPTURE(token);
        const std::string padded = std::string(token) + "\n        ";
        double value = 3;

        CHECK(text::take_number(padded.data(), value) == nullptr);

        CHECK(value == 3);
    }
}

TEST_CASE("NaN keeps its sign and nothing else", "[io][text]") {
    for (const char* token : {"nan", "NaN", "+nan", "-nan", "nan(12)"}) {
        CAPTURE(token);
        double value = 0;
        REQUIRE(read(token, value));
        CHECK(std::isnan(value));
        CHECK(std::signbit(value) == (token[0] == '-'));
    }
}

TEST_CASE("whole numbers are read up to 2^63 - 1, with any number of zeros in front", "[io][text]") {
    const auto whole = [](const std::string& token, Size& value) {
        const std::string padded = token + "\n        ";
        return text::take_whole(padded.data(), value) == padded.data() + token.size();
    };
    Size value = 0;
    for (const Size wanted : {Size{0}, Size{7}, Size{12345678}, Size{123456789}, Size{1234567890123456},
                              Size{12345678901234567}, Size{999999999999999999}, Size{9223372036854775807}}) {
        REQUIRE(whole(std::to_string(wanted), value));
        CHECK(value == wanted);
        REQUIRE(whole("000000000000000000000" + std::to_string(wanted), value));
        CHECK(value == wanted);
    }
    CHECK_FALSE(whole("9223372036854775808", value));
    CHECK_FALSE(whole("18446744073709551617", value));
    CHECK_FALSE(whole("100000000000000000000", value));
    CHECK_FALSE(whole("", value));
    CHECK_FALSE(whole("-1", value));
    CHECK_FALSE(whole("+1", value));
    CHECK_FALSE(whole("x", value));
}
