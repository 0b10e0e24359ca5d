// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix Market files that are wrong, or lie: each ends in an error that says what and where, and takes no memory
// that its bytes do not justify.

#include <string>
#include <vector>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <tests/io/faults.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::Fault;
using tests::text_of;
using tests::TextSource;

namespace {

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

/// Whichever reader the format asks for.
void read(HostContext& ctx, const io::Source& source, const io::Budget& budget = {}) {
    const auto header = io::read_matrix_market_header(source, budget);
    if (header.format == io::MatrixMarketHeader::Format::array) {
        io::read_matrix_market_array<double>(ctx, source, budget);
    } else {
        io::read_matrix_market<double>(ctx, source, budget);
    }
}

const std::vector<Fault> faults = {
    // the banner
    {"", "is empty, wanted the banner %%MatrixMarket"},
    {"\n", "line 1: found '', wanted the banner %%MatrixMarket"},
    {"1 1 1\n1 1 1\n", "line 1: found '1', wanted the banner %%MatrixMarket"},
    {" " + banner + "1 1 1\n1 1 1\n", "line 1: found '%%MatrixMarket', wanted the banner %%MatrixMarket"},
    {"\n" + banner + "1 1 1\n1 1 1\n", "line 1: found '', wanted the banner %%MatrixMarket"},
    {"\xef\xbb\xbf" + banner + "1 1 1\n1 1 1\n", "wanted the banner %%MatrixMarket"},
    {"%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", "line 1: found '%MatrixMarket'"},
    {"%%MatrixMarketmatrix coordinate real general\n1 1 1\n1 1 1\n", "line 1: found '%%MatrixMarketmatrix'"},
    {"%%MatrixMarket", "line 1: found '', wanted one of: matrix"},
    {"%%MatrixMarket mangled coordinate real general\n", "line 1: found 'mangled', wanted one of: matrix"},
    {"%%MatrixMarket matrix mangled real general\n", "found 'mangled', wanted one of: coordinate, array"},
    {"%%MatrixMarket matrix coordinate mangled general\n", "found 'mangled', wanted one of: real, integer, pattern"},
    {"%%MatrixMarket matrix coordinate real mangled\n", "found 'mangled', wanted one of: general, symmetric"},
    {"%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n", "line 1: found '', wanted one of: general, symmetric"},
    {"%%MatrixMarket matrix coordinate real general more\n", "line 1: found 'more', wanted the end of the banner"},
    {"%%MatrixMarket matrix array pattern general\n1 1\n\n",
     "line 1: the words of the banner contradict each other: hermitian goes with complex, pattern"},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", "line 1: the words of the banner contradict"},
    {"%%MatrixMarket matrix coordinate pattern hermitian\n1 1 0\n", "line 1: the words of the banner contradict"},
    {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", "line 1: the words of the banner contradict"},
    {"%%MatrixMarket matrix coordinate real general 1 1 1 1 1 1", "line 1: found '1', wanted the end of the banner"},
    {std::string("%%MatrixMarket\0matrix coordinate real general\n", 46), "line 1: found '%%MatrixMarket?matrix'"},
    // the sizes
    {banner, "ends after line 1, wanted the line with the sizes"},
    {banner + "%\n%\n\n", "ends after line 4, wanted the line with the sizes"},
    {banner + "1\n1 1 1\n", "line 2: found '', wanted the number of columns"},
    {banner + "1 1\n1 1 1\n", "line 2: found '', wanted the number of entries"},
    {banner + "1 1 1 1\n1 1 1\n", "line 2: found '1', wanted the end of the line with the sizes"},
    {banner + "-1 1 1\n1 1 1\n", "line 2: found '-1', wanted the number of rows"},
    {banner + "1 1 -1\n", "line 2: found '-1', wanted the number of entries"},
    {banner + "1 x 1\n1 1 1\n", "line 2: found 'x', wanted the number of columns"},
    {banner + "1 1.0 1\n1 1 1\n", "line 2: found '1.0', wanted the number of columns"},
    {banner + "1 1 1e0\n1 1 1\n", "line 2: found '1e0', wanted the number of entries"},
    {banner + "1 1 9223372036854775808\n1 1 1\n", "line 2: found '9223372036854775808', wanted the number of entries"},
    {banner + "1 1 18446744073709551617\n1 1 1\n", "found '18446744073709551617', wanted the number of entries"},
    {banner + "1 1 9223372036854775807\n1 1 1\n", "line 2: 9223372036854775807 entries, the budget is 68719476736"},
    {banner + "4 4 60000000000\n1 1 1\n", "line 2: 60000000000 entries do not fit into the 6 bytes that follow"},
    {banner + "1 1 2\n1 1 1\n", "line 2: 2 entries do not fit into the 6 bytes that follow"},
    {pattern + "1 3 3\n1 1\n1 2\n", "line 2: 3 entries do not fit into the 8 bytes that follow"},
    {banner + "2147483647 1 0\n", "line 2: 2147483647 rows in 61 bytes, the budget is 1048576"},
    {banner + "9223372036854775807 1 0\n", "9223372036854775807 rows in 70 bytes"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n2 1 1\n",
     "line 2: a symmetric matrix of 2 rows and 3 columns"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 2 1\n2 1 1\n",
     "line 2: a symmetric matrix of 3 rows and 2 columns"},
    {"%%MatrixMarket matrix array real symmetric\n2 3\n1\n2\n3\n",
     "line 2: a symmetric matrix of 2 rows and 3 columns"},
    {array + "1 1 1\n1\n", "line 2: found '1', wanted the end of the line with the sizes"},
    {array + "4294967296 4294967296\n1\n", "line 2: 9223372036854775807 entries, the budget is"},
    {array + "3037000500 3037000500\n1\n", "line 2: 9223372036854775807 entries, the budget is"},
    {array + "65536 65536\n1\n", "line 2: 4294967296 entries do not fit into the 2 bytes that follow"},
    {"%%MatrixMarket matrix array real symmetric\n9223372036854775807 9223372036854775807\n1\n",
     "line 2: 9223372036854775807 entries, the budget is"},
    // the entries
    {banner + "2 2 1\n0 1 1\n", "line 3: found '0', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1 0 1\n", "line 3: found '0', wanted a column from 1 to 2"},
    {banner + "2 2 1\n3 1 1\n", "line 3: found '3', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1 3 1\n", "line 3: found '3', wanted a column from 1 to 2"},
    {banner + "2 2 1\n-1 1 1\n", "line 3: found '-1', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1 -1 1\n", "line 3: found '-1', wanted a column from 1 to 2"},
    {banner + "2 2 1\n4294967297 1 1\n", "line 3: found '4294967297', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1 18446744073709551617 1\n", "line 3: found '18446744073709551617', wanted a column"},
    {banner + "2 2 1\n1 100000000000000000000000000000000000001 1\n", "line 3: found '100000000000"},
    {banner + "2 2 1\n1.0 1 1\n", "line 3: found '1.0', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1e0 1 1\n", "line 3: found '1e0', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1,1,1\n", "line 3: found '1,1,1', wanted a row from 1 to 2"},
    {banner + "2 2 1\nx y z\n", "line 3: found 'x', wanted a row from 1 to 2"},
    {banner + "2 2 1\n1\n     \n", "line 3: found the end of the line, wanted a column from 1 to 2"},
    {banner + "2 2 1\n1 1\n \n", "line 3: found the end of the line, wanted a number"},
    {banner + "2 2 1\n1 1 \r\n", "line 3: found the end of the line, wanted a number"},
    {banner + "2 2 1\n1 1 x\n", "line 3: found 'x', wanted a number"},
    {banner + "2 2 1\n1 1 1.2.3\n", "line 3: found '1.2.3', wanted a number"},
    {banner + "2 2 1\n1 1 0x10\n", "line 3: found '0x10', wanted a number"},
    {banner + "2 2 1\n1 1 1 1\n", "line 3: found '1', wanted the end of the line"},
    {banner + "2 2 1\n1 1 1 % one\n", "line 3: found '%', wanted the end of the line"},
    {banner + "2 2 2\n1 1 1 2 2 2\n", "line 3: found '2', wanted the end of the line"},
    {pattern + "2 2 1\n1 1 1\n", "line 3: found '1', wanted the end of the line"},
    {pattern + "2 2 1\n1 1.\n", "line 3: found '1.', wanted a column from 1 to 2"},
    {std::string(banner + "2 2 1\n1 1 1\0\n").append(1, '\0') + "1", "line 3: found"},
    {banner + "2 2 1\n1 1 \x80\n", "line 3: found"},
    {banner + "0 2 1\n1 1 1\n", "line 3: found '1', wanted a row from 1 to 0"},
    {banner + "2 2 2\n% no second entry\n1 1 1\n", "line 5: the text ends after 1 of the 2 entries of the header"},
    {banner + "2 2 2\n1 1 1\n% no second entry", "line 4: the text ends after 1 of the 2 entries of the header"},
    {banner + "2 2 1\n1 1 1\n2 2 2\n", "line 4: one more entry than the 1 of the header"},
    {banner + "2 2 1\n1 1 1\n\n%\n2 2 2", "line 6: one more entry than the 1 of the header"},
    {banner + "2 2 1\n1 1 1\n2 2 2\nx\n", "line 4: one more entry than the 1 of the header"},
    {banner + "2 2 0\n1 1 1\n", "line 3: one more entry than the 0 of the header"},
    {array + "2 1\n1 1\n1\n", "line 3: found '1', wanted the end of the line"},
    {array + "2 1\nx\n2\n", "line 3: found 'x', wanted a number"},
    {array + "2 1\n1\n%\n\n", "line 6: the text ends after 1 of the 2 entries of the header"},
    {array + "2 1\n1\n2\n3\n", "line 5: one more entry than the 2 of the header"},
    {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", "line 3: found '1.5', wanted an integer"},
};

}  // namespace

TEST_CASE("each fault of a Matrix Market file is named with its line", "[io][matrix_market]") {
    HostContext ctx({.threads = 2});
    for (const Fault& fault : faults) {
        tests::check_refused<FormatError>(fault, [&](const io::Source& source) { read(ctx, source); });
    }
}

TEST_CASE("files that lie take no memory for what they have not", "[io][matrix_market]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    for (const Fault& fault : faults) {
        CAPTURE(fault.file);
        tests::reset_largest_new();

        REQUIRE_THROWS_AS(read(ctx, TextSource(fault.file)), FormatError);

        CHECK(allocator.live_bytes == 0);
        CHECK(tests::largest_new() < 1 << 16);
    }
    CHECK(allocator.peak_bytes < 1 << 16);
}

TEST_CASE("any byte of a file may be cut off or changed", "[io][matrix_market]") {
    HostContext ctx({.threads = 1});
    const std::string text =
        "%%MatrixMarket matrix coordinate real symmetric\r\n%\n3 3 4\n1 1 1.5\n2 1 -2e3\r3 2 inf\n3 3 7";
    Size refused = 0;
    const auto attempt = [&](const std::string& changed) {
        try {
            read(ctx, TextSource(changed));
        } catch (const Error&) {
            ++refused;
        }
    };

    for (std::size_t i = 0; i < text.size(); ++i) {
        attempt(text.substr(0, i));
        for (const char c : {'\0', '\n', '\r', ' ', '%', '0', '9', '-', '.', 'e', '\xff'}) {
            std::string changed = text;
            changed[i] = c;
            attempt(changed);
        }
    }

    CHECK(refused > 400);
    CHECK(refused < static_cast<Size>(12 * text.size()));
}

TEST_CASE("lines beyond the budget are refused wherever they stand", "[io][matrix_market]") {
    HostContext ctx({.threads = 1});
    io::Budget budget;
    budget.line_bytes = 60;
    const std::string filler(61, ' ');
    const auto message = [&](const std::string& text) {
        return text_of<FormatError>([&] { read(ctx, TextSource(text), budget); });
    };

    CHECK(message(filler + banner) == "text: line 1: longer than 60 bytes, the budget of a line");
    CHECK(message(banner + "%" + filler + "\n1 1 1\n1 1 1\n") ==
          "text: line 2: longer than 60 bytes, the budget of a line");
    CHECK(message(banner + "1 1 1" + filler + "\n1 1 1\n") ==
          "text: line 2: longer than 60 bytes, the budget of a line");
    CHECK(message(banner + "1 1 1\n1 1 " + filler + "1\n") ==
          "text: line 3: longer than 60 bytes, the budget of a line");
    CHECK(message(banner + "1 1 1\n1 1 1\n%" + filler) == "text: line 4: longer than 60 bytes, the budget of a line");
    CHECK(message(banner + "1 1 1\n" + filler + "\n1 1 1\n") ==
          "text: line 3: longer than 60 bytes, the budget of a line");
    CHECK(message(banner + "1 1 1\n1 1 0." + std::string(60, '0') + "\n") ==
          "text: line 3: longer than 60 bytes, the budget of a line");
    read(ctx, TextSource(banner + "1 1 1\n1 1 " + std::string(55, ' ') + "1\n"), budget);
}

TEST_CASE("one line of many megabytes is refused without holding it", "[io][matrix_market]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const std::string line(1 << 24, '1');

    for (const std::string& text : {line, banner + line, banner + "1 1 1\n" + line, banner + "1 1 1\n1 1 1\n%" + line,
                                    banner + "1 1 1\n1 1 " + line}) {
        const TextSource source(text);
        tests::reset_largest_new();

        CHECK(contains(text_of<FormatError>([&] { read(ctx, source); }), "longer than 65536 bytes"));

        CHECK(tests::largest_new() < 4 << 20);
    }
    CHECK(allocator.peak_bytes < 8 << 20);
}

TEST_CASE("budgets of bytes, entries and rows are kept", "[io][matrix_market]") {
    HostContext ctx({.threads = 1});
    io::Budget budget;
    budget.elements = 2;
    budget.features = 3;

    read(ctx, TextSource(banner + "3 4 2\n1 1 1\n2 2 2\n"), budget);
    CHECK(text_of<FormatError>([&] { read(ctx, TextSource(banner + "3 4 3\n1 1 1\n2 2 2\n3 3 3\n"), budget); }) ==
          "text: line 2: 3 entries, the budget is 2");
    CHECK(text_of<FormatError>([&] { read(ctx, TextSource(banner + "99 4 0\n"), budget); }) ==
          "text: line 2: 99 rows in 53 bytes, the budget is 6");
}
