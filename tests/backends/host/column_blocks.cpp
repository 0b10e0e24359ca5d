// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The column blocks of the host's plan: each entry once, and a column's by ascending row.

#include <snack/backends/host/column_blocks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>

using namespace tests;

namespace {

/// The blocks of a topology, with all they are made from.
struct Blocks {
    Blocks(const Pattern& pattern, int threads)
        : ctx({.threads = threads}), topology(pattern.topology()), cuts(ctx, *topology), blocks(ctx, *topology, cuts) {}

    snack::HostContext ctx;
    snack::TopologyPtr topology;
    snack::detail::host::ColumnCuts cuts;
    snack::detail::host::ColumnBlocks blocks;
};

/// How often the blocks come to each entry; -1 if they give it another row or column than the topology, or
/// come to it after a later row of its column.
std::vector<int> visits(const Blocks& of) {
    const snack::Topology& topology = *of.topology;
    const Size* const offsets = topology.row_offsets().data();
    std::vector<int> times(static_cast<std::size_t>(topology.nnz()), 0);
    for (Size number = 0; number < of.blocks.count(); ++number) {
        const Size first_row = of.blocks.first_row(number);
        for (Size range = 0; range < of.cuts.ranges(); ++range) {
            auto block = of.blocks.block(number, range);
            for (Size run = 0; run < block.run_count; ++run) {
                const Size length = block.runs[run].length;
                for (Size i = 0; i < Size{block.runs[run].columns}; ++i, ++block.columns) {
                    const Size column = of.cuts.first_column(range) + *block.columns;
                    for (Size k = 0; k < length; ++k, ++block.positions, ++block.rows) {
                        const Size row = first_row + *block.rows;
                        const Size entry = offsets[first_row] + *block.positions;
                        const bool ascends = k == 0 || block.rows[-1] < *block.rows;
                        const bool right = entry >= offsets[row] && entry < offsets[row + 1] &&
                                           topology.columns().data()[entry] == column;
                        int& visited = times[static_cast<std::size_t>(entry)];
                        visited = right && ascends ? visited + 1 : -1;
                    }
                }
            }
        }
    }
    return times;
}

void check_blocks(const Pattern& pattern, bool wanted) {
    for (const int threads : {1, 3}) {
        const Blocks blocks(pattern, threads);
        CAPTURE(pattern.name, threads);
        CHECK((blocks.blocks.count() > 0) == wanted);
        if (wanted) {
            CHECK(visits(blocks) == std::vector<int>(pattern.cells.size(), 1));
        }
    }
}

}  // namespace

TEST_CASE("column blocks hold every entry once, those of a column by ascending row", "[backends][threads]") {
    check_blocks(random_pattern("one block", 60, 90, 900), true);
    check_blocks(random_pattern("blocks and ranges", 600, 500, 20000), true);
    check_blocks(random_pattern("less than 256 rows a block", 500, 1000, 300000), true);
    check_blocks(pattern_of("full", 300, 40, [](Size, Size) { return true; }), true);
    check_blocks(pattern_of("empty rows and columns", 700, 300,
                            [](Size row, Size column) { return row % 3 != 0 && column % 5 == 1; }),
                 true);
    check_blocks(
        pattern_of("one heavy column", 300, 20, [](Size row, Size column) { return column == 3 || row == column; }),
        true);
}

TEST_CASE("there are no column blocks where few entries share a column", "[backends]") {
    check_blocks(random_pattern("two in 256 rows", 2560, 1000, 20000), false);
    check_blocks(random_pattern("few rows", 20, 100, 1500), false);
    check_blocks(pattern_of("no entries", 300, 400, [](Size, Size) { return false; }), false);
    check_blocks(pattern_of("no columns", 300, 0, [](Size, Size) { return true; }), false);
}

TEST_CASE("there are no column blocks where a block's entries pass 16 bits", "[backends]") {
    // Rows of 3000 entries: 21 of them fit, which is less than a block should have.
    check_blocks(pattern_of("long rows", 64, 3000, [](Size, Size) { return true; }), false);
}
