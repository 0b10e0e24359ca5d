// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the coordinate format of Matrix Market means, in files small enough to check by eye.

#include <cmath>
#include <limits>
#include <string>

#include <snack/io/matrix_market.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::Entries;
using tests::entries_of;
using tests::text_of;
using tests::TextSource;

namespace {

template <class T = double>
CooMatrix<T> read(const std::string& text) {
    HostContext ctx({.threads = 1});
    return io::read_matrix_market<T>(ctx, TextSource(text));
}

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";

}  // namespace

TEMPLATE_TEST_CASE("entries are read in canonical order, counted from one", "[io][matrix_market]", float, double) {
    const auto matrix = read<TestType>(general + "2 5 3\n2 4 -3\n1 5 1\n2 1 2.5\n");

    CHECK(matrix.out_features() == 2);
    CHECK(matrix.in_features() == 5);
    CHECK(entries_of(matrix) == Entries<TestType>{{0, 4, 1}, {1, 0, 2.5}, {1, 3, -3}});
}

TEST_CASE("the entries of a pattern are one", "[io][matrix_market]") {
    CHECK(entries_of(read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")) ==
          Entries<double>{{0, 1, 1}});
}

TEST_CASE("symmetric entries are given once, in either triangle", "[io][matrix_market]") {
    const Entries<double> wanted{{0, 0, 5}, {0, 1, 7}, {1, 0, 7}};

    CHECK(entries_of(read(symmetric + "2 2 2\n1 1 5\n2 1 7\n")) == wanted);
    CHECK(entries_of(read(symmetric + "2 2 2\n1 1 5\n1 2 7\n")) == wanted);
    CHECK(entries_of(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")) ==
          Entries<double>{{0, 1, 1}, {1, 0, 1}});
}

TEST_CASE("the mirror images of skew-symmetric entries have the other sign", "[io][matrix_market]") {
    const auto matrix = read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 1 0\n");

    CHECK(entries_of(matrix) == Entries<double>{{0, 1, -4}, {0, 2, 0}, {1, 0, 4}, {2, 0, 0}});
    CHECK(std::signbit(matrix.values()[1]));  // -0
}

TEST_CASE("a skew-symmetric matrix has no diagonal", "[io][matrix_market]") {
    CHECK(text_of<FormatError>([] { read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 0\n"); }) ==
          "text: line 3: found column '2' on the diagonal of a skew-symmetric matrix, wanted one off it");
}

TEST_CASE("lines end in LF, CR, CRLF or any mixture, the last one perhaps in nothing", "[io][matrix_market]") {
    const Entries<double> wanted{{0, 0, 5}, {0, 1, 7}, {1, 0, 7}};
    const std::string banner = "%%MatrixMarket matrix coordinate real symmetric";
    const auto with = [&](const std::string& a, const std::string& b, const std::string& last) {
        return entries_of(read(banner + a + "2 2 2" + b + "1 1 5" + a + "2 1 7" + last));
    };

    for (const std::string end : {"\n", "\r", "\r\n"}) {
        CHECK(with(end, end, end) == wanted);
        CHECK(with(end, end, "") == wanted);
        CHECK(with(end, "\n", "\r") == wanted);
        CHECK(with("\r\n", end, "\n\r") == wanted);
    }
}

TEST_CASE("blank lines, blanks and tabs around entries, and comments after the banner are read",
          "[io][matrix_market]") {
    const auto matrix = read(
        "%%MatrixMarket matrix coordinate real general\n%\n% a comment\n\n   \n  % one more\n \t2  3\t2  \n\n"
        "\t1 1   4\t\n  \n% between entries\n   2\t 3  6   \n\n\n%at the end");

    CHECK(entries_of(matrix) == Entries<double>{{0, 0, 4}, {1, 2, 6}});
}

TEST_CASE("the words of the banner may have any case and any blanks between them", "[io][matrix_market]") {
    CHECK(read("%%matrixMARKET  Matrix\tCOORDINATE Real GENERAL \n1 1 1\n1 1 2\n").nnz() == 1);
    CHECK(read("%%MATRIXMARKET MATRIX COORDINATE PATTERN SYMMETRIC\n1 1 1\n1 1\n").nnz() == 1);
    CHECK(read("%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 2.5\n").values()[0] == 2.5);
    CHECK(read("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 2\n").values()[0] == 2);
}

TEST_CASE("integers of 64 bits are read exactly where the scalar holds them, and rounded once elsewhere",
          "[io][matrix_market]") {
    const auto value = [](const std::string& token) { return read(integer + "1 1 1\n1 1 " + token).values()[0]; };

    CHECK(value("2147483648") == 2147483648.0);
    CHECK(value("-2147483648") == -2147483648.0);
    CHECK(value("9007199254740992") == 9007199254740992.0);
    CHECK(value("9007199254740993") == 9007199254740992.0);  // half way, to even
    CHECK(value("9223372036854775807") == 0x1p63);
    CHECK(value("18446744073709551615") == 0x1p64);
    CHECK(value("+7") == 7);
    CHECK(std::signbit(value("-0")));
    CHECK(read<float>(integer + "1 1 1\n1 1 2147483648").values()[0] == 2147483648.0f);
}

TEST_CASE("integers may be infinite and no number, but have no fraction and no exponent", "[io][matrix_market]") {
    CHECK(read(integer + "1 1 1\n1 1 -inf").values()[0] == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(read(integer + "1 1 1\n1 1 nan").values()[0]));
    for (const std::string token : {"1.5", "1.", "1e3", "1d3", ".", "x"}) {
        CHECK(text_of<FormatError>([&] { read(integer + "1 1 1\n1 1 " + token); }) ==
              "text: line 3: found '" + token + "', wanted an integer");
    }
}

TEST_CASE("explicit zeros are entries, and keep their sign", "[io][matrix_market]") {
    const auto matrix = read(general + "1 2 2\n1 1 0\n1 2 -0.0\n");

    REQUIRE(matrix.nnz() == 2);
    CHECK_FALSE(std::signbit(matrix.values()[0]));
    CHECK(std::signbit(matrix.values()[1]));
}

TEST_CASE("numbers beyond the range become infinite or zero", "[io][matrix_market]") {
    const auto matrix = read<float>(general + "1 4 4\n1 1 1e39\n1 2 -1e400\n1 3 1e-46\n1 4 1e-45\n");

    CHECK(matrix.values()[0] == std::numeric_limits<float>::infinity());
    CHECK(matrix.values()[1] == -std::numeric_limits<float>::infinity());
    CHECK(matrix.values()[2] == 0);
    CHECK(matrix.values()[3] == std::numeric_limits<float>::denorm_min());
}

TEST_CASE("matrices may have no entries, no rows, or no columns", "[io][matrix_market]") {
    CHECK(read(general + "3 4 0\n").out_features() == 3);
    CHECK(read(general + "3 4 0").in_features() == 4);
    CHECK(read(general + "0 4 0\n\n").out_features() == 0);
    CHECK(read(general + "4 0 0\n%\n").in_features() == 0);
    CHECK(read(general + "0 0 0\r\n").nnz() == 0);
}

TEST_CASE("an entry that is given twice is refused, and the second line named", "[io][matrix_market]") {
    CHECK(text_of<TopologyError>([] { read(general + "2 2 3\n2 1 1\n1 1 1\n2 1 1\n"); }) ==
          "text: line 5: entry (2, 1) is given twice");
    CHECK(text_of<TopologyError>([] { read(general + "2 2 3\n%\n1 1 1\n\n1 1 1\n2 2 1"); }) ==
          "text: line 6: entry (1, 1) is given twice");
    CHECK(text_of<TopologyError>([] { read(symmetric + "2 2 2\n2 1 1\n1 2 1\n"); }) ==
          "text: line 4: entry (1, 2) is given twice");
}

TEST_CASE("the header alone tells what a file holds", "[io][matrix_market]") {
    using Header = io::MatrixMarketHeader;
    const std::string text = "%%MatrixMarket matrix coordinate integer skew-symmetric\r\n% \r\n4 4 2\r\n2 1 7\r\n3 2 8";

    const Header header = io::read_matrix_market_header(TextSource(text));

    CHECK(header.format == Header::Format::coordinate);
    CHECK(header.field == Header::Field::integer);
    CHECK(header.symmetry == Header::Symmetry::skew_symmetric);
    CHECK(header.rows == 4);
    CHECK(header.columns == 4);
    CHECK(header.entries == 2);
    CHECK(header.data_offset == static_cast<Size>(text.find("2 1 7")));
}

TEST_CASE("what a well-formed file has and the library has not is unsupported", "[io][matrix_market]") {
    CHECK(text_of<UnsupportedError>([] {
              read("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n");
          }) == "text: line 1: complex matrices are not supported");
    REQUIRE_THROWS_AS(read("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n"), UnsupportedError);
    REQUIRE_THROWS_AS(read("%%MatrixMarket matrix array real general\n1 1\n1\n"), UnsupportedError);
    CHECK(text_of<UnsupportedError>([] { read(general + "1 2147483648 1\n1 2147483648 1\n"); }) ==
          "text: 1 x 2147483648 is beyond 2147483647 in a dimension");
    CHECK(entries_of(read(general + "1 2147483647 1\n1 2147483647 1\n")) == Entries<double>{{0, 2147483646, 1}});
}
