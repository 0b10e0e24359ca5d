// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Topologies in the format of the Deep Learning Matrix Collection.

#include <random>
#include <string>
#include <vector>

#include <snack/io/smtx.hpp>
#include <tests/io/faults.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::Fault;
using tests::text_of;
using tests::TextSource;

namespace {

TopologyPtr read(const std::string& text, const io::Budget& budget = {}) {
    HostContext ctx({.threads = 1});
    return io::read_smtx(ctx, TextSource(text), budget);
}

std::vector<std::pair<Index, Index>> cells_of(const TopologyPtr& topology) {
    std::vector<std::pair<Index, Index>> cells;
    for_each_entry(*topology, [&](Size, Index row, Index column) { cells.emplace_back(row, column); });
    return cells;
}

using Cells = std::vector<std::pair<Index, Index>>;

}  // namespace

TEST_CASE("offsets and columns of an smtx file make a topology", "[io][smtx]") {
    const TopologyPtr topology = read("2, 3, 2\n0 1 2\n2 0\n");

    CHECK(topology->out_features() == 2);
    CHECK(topology->in_features() == 3);
    CHECK(cells_of(topology) == Cells{{0, 2}, {1, 0}});
}

TEST_CASE("columns of a row may have any order", "[io][smtx]") {
    CHECK(cells_of(read("3, 4, 5\n0 3 3 5\n3 0 2 1 0\n")) == Cells{{0, 0}, {0, 2}, {0, 3}, {2, 0}, {2, 1}});
}

TEST_CASE("numbers are separated by blanks or commas, lines end in any way", "[io][smtx]") {
    const Cells wanted{{0, 2}, {1, 0}};

    CHECK(cells_of(read("2,3,2\n0,1,2\n2,0")) == wanted);
    CHECK(cells_of(read("2 3 2 \r\n 0\t1  2 \r\n 2 ,0 \r\n")) == wanted);
    CHECK(cells_of(read("2, 3, 2\r0 1 2\r2 0\r")) == wanted);
    CHECK(cells_of(read("2, 3, 2\n0 1 2\n2 0\n\n  \r\n\n")) == wanted);
    CHECK(cells_of(read("0002, 3, 2\n0 000000000000000000000000001 2\n2 0\n")) == wanted);
}

TEST_CASE("topologies may have no entries, no rows or no columns", "[io][smtx]") {
    CHECK(read("2, 3, 0\n0 0 0\n\n")->nnz() == 0);
    CHECK(read("2, 3, 0\n0 0 0\n")->out_features() == 2);
    CHECK(read("2, 3, 0\n0 0 0")->in_features() == 3);
    CHECK(read("0, 3, 0\n0\n\n")->out_features() == 0);
    CHECK(read("2, 0, 0\n0 0 0\n\n")->in_features() == 0);
}

namespace {

const std::vector<Fault> faults = {
    {"", "line 1: 0 numbers, wanted rows, columns and entries"},
    {"2, 3\n0 1 2\n2 0\n", "line 1: 2 numbers, wanted rows, columns and entries"},
    {"2, 3, 2, 1\n0 1 2\n2 0\n", "line 1: more than rows, columns and entries"},
    {"\n2, 3, 2\n0 1 2\n2 0\n", "line 1: 0 numbers"},
    {"-2, 3, 2\n0 1 2\n2 0\n", "line 1: found '-2', wanted rows, columns and entries"},
    {"2; 3; 2\n0 1 2\n2 0\n", "line 1: found '2;'"},
    {"2, 3.0, 2\n0 1 2\n2 0\n", "line 1: found '3.0'"},
    {"%%MatrixMarket matrix coordinate real general\n", "line 1: found '%%MatrixMarket'"},
    {"2, 3, 9223372036854775808\n0 1 2\n2 0\n", "line 1: found '9223372036854775808'"},
    {"2, 3, 9223372036854775807\n0 1 2\n2 0\n", "line 1: 9223372036854775807 entries, the budget is"},
    {"2, 3, 60000000000\n0 1 2\n2 0\n", "line 1: 2 rows and 60000000000 entries do not fit into"},
    {"2147483647, 3, 0\n0\n\n", "line 1: 2147483647 rows and 0 entries do not fit into 20 bytes"},
    {"9223372036854775807, 3, 0\n0\n\n", "do not fit into"},
    {"2, 3, 2", "line 2: 0 offsets, wanted 3"},
    {"2, 3, 2\n0 1\n2 0\n", "line 2: 2 offsets, wanted 3"},
    {"2, 3, 2\n0 1 2 2\n2 0\n", "line 2: more than 3 offsets for 2 rows"},
    {"2, 3, 2\n\n0 1 2\n2 0\n", "line 2: 0 offsets, wanted 3"},
    {"2, 3, 2\n0 2 1\n2 0\n", "line 2: offset 2 is 1, wanted one from 2 to 2"},
    {"2, 3, 2\n1 1 2\n2 0\n", "line 2: offset 0 is 1, wanted one from 0 to 0"},
    {"2, 3, 2\n0 1 1\n2 0\n", "line 2: the last offset is 1, wanted 2"},
    {"2, 3, 2\n0 1 3\n2 0\n", "line 2: offset 2 is 3, wanted one from 1 to 2"},
    {"2, 3, 2\n0 4294967297 2\n2 0\n", "line 2: offset 1 is 4294967297, wanted one from 0 to 2"},
    {"2, 3, 2\n0 -1 2\n2 0\n", "line 2: found '-1', wanted a row offset"},
    {"2, 3, 2\n0 18446744073709551617 2\n2 0\n", "line 2: found '18446744073709551617', wanted a row offset"},
    {"0, 3, 1\n0\n0\n", "line 2: the last offset is 0, wanted 1"},
    {"2, 3, 2\n0 1 2\n2 3\n", "line 3: column 3 of entry 1, wanted one from 0 to 2"},
    {"2, 3, 2\n0 1 2\n2 4294967296\n", "line 3: column 4294967296 of entry 1"},
    {"2, 3, 2\n0 1 2\n-1 0\n", "line 3: found '-1', wanted a column from 0 to 2"},
    {"2, 3, 2\n0 1 2\n2 0.0\n", "line 3: found '0.0', wanted a column from 0 to 2"},
    {"2, 3, 2\n0 1 2\n2 0x\n", "line 3: found '0x'"},
    {"2, 3, 2\n0 1 2\n2\n", "line 3: 1 columns, wanted 2"},
    {"2, 3, 2\n0 1 2\n2 \n0\n", "line 3: 1 columns, wanted 2"},
    {"2, 3, 2\n0 1 2\n", "line 3: 0 columns, wanted 2"},
    {"2, 3, 2\n0 1 2\n2 0 1\n", "line 3: more than 2 columns"},
    {"2, 3, 2\n0 1 2\n2 0\n1\n", "more than three lines"},
    {"2, 3, 2\n0 1 2\n2 0\n\nx", "more than three lines"},
    {"2, 3, 2\n0 1 2\n2 " + std::string(70'000, '1') + "\n", "line 3: found '1111"},
    {"2, 3, 2\n0 1 2\n2 " + std::string(70'000, '0') + "\n", "line 3: found '0000"},
    {"2, 3, 3\n0 1 3\n2 " + std::string(70'000, '0') + "1\n", "line 3: found '0000"},
    {std::string("2, 3, 2\n0 1 2\n2 0\0", 18), "line 3: found '0?'"},
};

}  // namespace

TEST_CASE("each fault of an smtx file is named with its line, and takes no memory", "[io][smtx]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    for (const Fault& fault : faults) {
        tests::check_refused<FormatError>(fault, [&](const io::Source& source) { io::read_smtx(ctx, source); });

        CHECK(allocator.live_bytes == 0);
    }
    CHECK(allocator.peak_bytes < 1 << 18);
}

TEST_CASE("an smtx file that gives an entry twice is refused", "[io][smtx]") {
    CHECK(text_of<TopologyError>([] { read("2, 3, 3\n0 2 3\n1 1 0\n"); }) == "text: line 3: row 0 has column 1 twice");
    CHECK(text_of<TopologyError>([] { read("2, 3, 3\n0 0 3\n2 0 2\n"); }) == "text: line 3: row 1 has column 2 twice");
}

TEST_CASE("dimensions that no layer has are unsupported", "[io][smtx]") {
    REQUIRE_THROWS_AS(read("1, 2147483648, 1\n0 1\n2147483647\n"), UnsupportedError);
    CHECK(cells_of(read("1, 2147483647, 1\n0 1\n2147483646\n")) == Cells{{0, 2147483646}});
}

TEST_CASE("the budget of entries is kept by smtx files", "[io][smtx]") {
    io::Budget budget;
    budget.elements = 1;

    CHECK(text_of<FormatError>([&] { read("2, 3, 2\n0 1 2\n2 0\n", budget); }) ==
          "text: line 1: 2 entries, the budget is 1");
}

TEST_CASE("lists longer than a block of text are read, wherever it ends", "[io][smtx]") {
    std::mt19937_64 dice(5);
    std::string offsets = "0";
    std::string columns;
    Cells wanted;
    for (Index row = 0; row < 20'000; ++row) {
        for (Index column = static_cast<Index>(dice() % 9); column < 1'000'000;
             column += 1 + static_cast<Index>(dice() % 600'000)) {
            columns.append(wanted.empty() ? "" : " ").append(std::to_string(column));
            wanted.emplace_back(row, column);
        }
        offsets.append(" ").append(std::to_string(wanted.size()));
    }
    for (int shift = 0; shift < 8; ++shift) {
        const std::string text = "20000," + std::string(static_cast<std::size_t>(shift), ' ') + "1000000, " +
                                 std::to_string(wanted.size()) + "\n" + offsets + "\n" + columns + "\n";

        CHECK(cells_of(read(text)) == wanted);
    }
}

TEST_CASE("topologies are written as the collection has them, and read again", "[io][smtx]") {
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 2});
    for (const std::string text :
         {"2, 3, 2\n0 1 2\n2 0\n", "3, 4, 5\n0 3 3 5\n0 2 3 0 1\n", "2, 3, 0\n0 0 0\n\n", "0, 3, 0\n0\n\n"}) {
        io::write_smtx(ctx, folder.file("a.smtx"), *read(text));

        CHECK(tests::read_file(folder.file("a.smtx")) == text);
    }
}
