// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// .npy files that are wrong, lie, or hold what the library has no use for.

#include <string>
#include <vector>

#include <snack/io/npy.hpp>
#include <tests/io/faults.hpp>
#include <tests/io/npy_bytes.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::Fault;
using tests::npy_dictionary;
using tests::npy_file;
using tests::text_of;
using tests::TextSource;

namespace {

const std::string six(48, '\0');
const std::string good = npy_file(npy_dictionary("<f8", "(2, 3)"), six);

/// A file of six doubles with another dictionary.
std::string with(const std::string& dictionary) {
    return npy_file(dictionary, six);
}

const std::vector<Fault> faults = {
    {"", "has 0 bytes, an npy header has more"},
    {good.substr(0, 9), "has 9 bytes, an npy header has more"},
    {std::string(100, '\0'), "does not begin as an npy file"},
    {"PK\x03\x04" + std::string(100, '\0'), "does not begin as an npy file"},
    {"\x92" + good.substr(1), "does not begin as an npy file"},
    {npy_file("", "", 2).substr(0, 11), "ends inside the length of the header"},
    {npy_file("", ""), "byte 10: found the end of the header, wanted '{'"},
    {good.substr(0, 40), "byte 8: a header of 60 bytes, 30 follow"},
    {good.substr(0, 10) + std::string(60, '\xff') + six, "byte 10: found"},
    {good.substr(0, good.size() - 1), "byte 70: 47 bytes follow, 6 elements of F64 have 48"},
    {good + "x", "byte 70: 49 bytes follow, 6 elements of F64 have 48"},
    {npy_file(npy_dictionary("<f4", "(2, 3)"), six), "48 bytes follow, 6 elements of F32 have 24"},
    {with(npy_dictionary("<f8", "(4294967296, 4294967296)")), "the shape has more than 2^63 - 1 bytes"},
    {with(npy_dictionary("<f8", "(2147483648, 2147483648)")), "the shape has more than 2^63 - 1 bytes"},
    {with(npy_dictionary("<f8", "(4294967296, 4294967296, 0)")), "the shape has more than 2^63 - 1 bytes"},
    {with(npy_dictionary("<f8", "(0, 4294967296, 4294967296)")), "the shape has more than 2^63 - 1 bytes"},
    {with(npy_dictionary("|u1", "(4611686018427387904,)")), "4611686018427387904 elements, the budget is 68719476736"},
    {with(npy_dictionary("<f8", "(60000000000,)")), "48 bytes follow, 60000000000 elements of F64 have 480000000000"},
    {with(npy_dictionary("<f8", "(0, 3)")), "48 bytes follow, 0 elements of F64 have 0"},
    {with(npy_dictionary("<f8", "(-2, -3)")), "found '-2, -3), }?', wanted an extent below 2^63"},
    {with(npy_dictionary("<f8", "(9223372036854775808,)")), "wanted an extent below 2^63"},
    {with(npy_dictionary("<f8", "(2.0, 3)")), "found '.0, 3), }?', wanted ','"},
    {with(npy_dictionary("<f8", "(2, None)")), "found 'None), }?', wanted an extent below 2^63"},
    {with(npy_dictionary("<f8", "(2 3)")), "wanted ',': (3) is a number, (3,) a shape"},
    {with(npy_dictionary("<f8", "(6)")), "wanted ',': (3) is a number, (3,) a shape"},
    {with(npy_dictionary("<f8", "6")), "wanted '('"},
    {with(npy_dictionary("<f8", "[2, 3]")), "wanted '('"},
    {with(npy_dictionary("<f8", "(2, 3")), "found '}?', wanted an extent below 2^63"},
    {with(npy_dictionary("<f8", "(,)")), "wanted an extent below 2^63"},
    {with(npy_dictionary("<f8", "(2,,3)")), "wanted an extent below 2^63"},
    {with(npy_dictionary("<f8", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)")),
     "byte 93: the shape has more than 16 dimensions"},
    {with(npy_dictionary("f8", "(2, 3)")), "found ''f8'"},
    {with(npy_dictionary("", "(2, 3)")), "wanted a type as '<f4'"},
    {with(npy_dictionary("<", "(2, 3)")), "wanted a type as '<f4'"},
    {with(npy_dictionary("|f8", "(2, 3)")), "byte 20: type '|f8' has no byte order"},
    {with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)"), "found the end of the header, wanted '}'"},
    {with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } x"), "found 'x', wanted the end of the header"},
    {with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }}"), "found '}', wanted the end of the header"},
    {with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1, }"), "found ''x': 1, }', wanted each of"},
    {with("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"), "found ''descr': '<f8', 'fo"},
    {with("{'descr': '<f8', 'shape': (2, 3), }"), "byte 45: the header has no 'fortran_order'"},
    {with("{'fortran_order': False, 'shape': (2, 3), }"), "the header has no 'descr'"},
    {with("{'descr': '<f8', 'fortran_order': False, }"), "the header has no 'shape'"},
    {with("{}"), "the header has no 'descr'"},
    {with("{,}"), "wanted a key"},
    {with("{'descr': '<f8',, 'fortran_order': False, 'shape': (2, 3), }"), "wanted a key"},
    {with("{'descr' '<f8', 'fortran_order': False, 'shape': (2, 3), }"), "wanted ':'"},
    {with("{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3), }"), "wanted '}'"},
    {with("{'descr: '<f8', 'fortran_order': False, 'shape': (2, 3), }"), "wanted each of"},
    {with("{descr: '<f8', 'fortran_order': False, 'shape': (2, 3), }"),
     "found 'descr: '<f8', 'fortran_o', wanted a key"},
    {with("{'descr': <f8, 'fortran_order': False, 'shape': (2, 3), }"), "wanted a type"},
    {with("{'descr': '<f8, \"fortran_order\": False, \"shape\": (2, 3), }"), "wanted a type"},
    {with("{'descr': '<f\\x38', 'fortran_order': False, 'shape': (2, 3), }"), "wanted a string without escapes"},
    {with("{'descr': '<f8', 'fortran_order': false, 'shape': (2, 3), }"),
     "found 'false, 'shape': (2, 3), ', wanted True"},
    {with("{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3), }"), "wanted True or False"},
    {with("{'descr': '<f8', 'fortran_order': Falsely, 'shape': (2, 3), }"),
     "found 'ly, 'shape': (2, 3), }', wanted '}'"},
    {with("['descr', '<f8']"), "wanted '{'"},
    {with(std::string(61, '{')), "wanted a key"},
    {with(std::string(61, '(')), "wanted '{'"},
    {with(std::string("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\0", 60)),
     "found '?', wanted the end"},
};

const std::vector<Fault> unsupported = {
    {with(npy_dictionary("|O", "(2, 3)")), "byte 20: type '|O' is not supported"},
    {with(npy_dictionary("<c16", "(3,)")), "type '<c16' is not supported"},
    {with(npy_dictionary("<f16", "(3,)")), "type '<f16' is not supported"},
    {with(npy_dictionary("<U2", "(6,)")), "type '<U2' is not supported"},
    {with(npy_dictionary("|S8", "(6,)")), "type '|S8' is not supported"},
    {with(npy_dictionary("|V8", "(6,)")), "type '|V8' is not supported"},
    {with(npy_dictionary("<M8[ns]", "(6,)")), "type '<M8[ns]' is not supported"},
    {with(npy_dictionary("<f3", "(16,)")), "type '<f3' is not supported"},
    {with("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (6,), }"),
     "byte 20: structured types are not supported"},
    {with("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (6,), }"),
     "byte 20: structured types are not supported"},
    {good.substr(0, 6) + "\x04" + good.substr(7), "byte 6: npy version 4.0, supported are 1.0 to 3.0"},
    {good.substr(0, 6) + std::string(1, '\0') + good.substr(7), "byte 6: npy version 0.0"},
    {good.substr(0, 7) + "\x01" + good.substr(8), "byte 6: npy version 1.1"},
};

template <class E>
void check_all(const std::vector<Fault>& all) {
    for (const Fault& fault : all) {
        tests::reset_largest_new();

        tests::check_refused<E>(fault, [](const io::Source& source) { io::read_npy<float>(source); });

        CHECK(tests::largest_new() < 1 << 16);
    }
}

}  // namespace

TEST_CASE("each fault of an npy file is named, and takes no memory", "[io][npy]") {
    check_all<FormatError>(faults);
}

TEST_CASE("what a well-formed npy file has and the library has not is unsupported", "[io][npy]") {
    check_all<UnsupportedError>(unsupported);
}

TEST_CASE("any byte of an npy file may be cut off or changed", "[io][npy]") {
    Size refused = 0;
    const auto attempt = [&](const std::string& changed) {
        try {
            io::read_npy<float>(TextSource(changed));
        } catch (const Error&) {
            ++refused;
        }
    };

    for (std::size_t i = 0; i < good.size() - six.size(); ++i) {
        attempt(good.substr(0, i));
        for (const char c : {'\0', '\xff', '9', '\'', '(', ',', '}'}) {
            std::string changed = good;
            changed[i] = c;
            attempt(changed);
        }
    }

    CHECK(refused > 450);
}

TEST_CASE("a header longer than the budget is refused before it is read", "[io][npy]") {
    const TextSource huge(npy_file(std::string(1 << 20, '('), "", 2));
    const TextSource lies(npy_file("", "", 2).substr(0, 8) + "\xff\xff\xff\xff" + std::string(100, ' '));
    io::Budget budget;
    budget.header_bytes = 1 << 16;

    tests::reset_largest_new();
    CHECK(text_of<FormatError>([&] { io::read_npy_header(huge, budget); }) ==
          "text: byte 8: a header of 1048576 bytes, the budget is 65536");
    CHECK(text_of<FormatError>([&] { io::read_npy_header(lies); }) ==
          "text: byte 8: a header of 4294967295 bytes, the budget is 16000000");
    CHECK(tests::largest_new() < 1 << 16);
    REQUIRE_THROWS_AS(io::read_npy_header(huge), FormatError);
}

TEST_CASE("the budget of elements is kept by npy files", "[io][npy]") {
    io::Budget budget;
    budget.elements = 5;

    CHECK(text_of<FormatError>([&] { io::read_npy_header(TextSource(good), budget); }) ==
          "text: 6 elements, the budget is 5");
}
