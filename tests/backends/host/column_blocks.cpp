// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The column blocks of the host's plan: each entry once, and a column's by ascending row.

#include <vector>

#include <snack/backends/host/column_blocks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>

using namespace tests;

namespace {

/// The order of a topology, with all it is made from.
struct Order {
    Order(const Pattern& pattern, int threads)
        : ctx({.threads = threads}), topology(pattern.topology()), cuts(ctx, *topology), blocks(ctx, *topology, cuts) {}

    snack::HostContext ctx;
    snack::TopologyPtr topology;
    snack::detail::host::ColumnCuts cuts;
    snack::detail::host::ColumnBlocks blocks;
};

/// Calls visit(entry, row, column, whether the row comes after the last one of the column).
template <class Visit>
void for_each_entry(const Order& of, const Visit& visit) {
    const Size* const offsets = of.topology->row_offsets().data();
    for (Size number = 0; number < of.blocks.count(); ++number) {
        const Size first_row = of.blocks.first_row(number);
        for (Size range = 0; range < of.cuts.ranges(); ++range) {
            auto block = of.blocks.block(number, range);
            for (Size run = 0; run < block.run_count; ++run) {
                for (Size i = 0; i < Size{block.runs[run].columns}; ++i, ++block.columns) {
                    const Size column = of.cuts.first_column(range) + *block.columns;
                    for (Size k = 0; k < Size{block.runs[run].length}; ++k, ++block.positions, ++block.rows) {
                        visit(offsets[first_row] + *block.positions, first_row + *block.rows, column,
                              k == 0 || block.rows[-1] < *block.rows);
                    }
                }
            }
        }
    }
}

/// How often the blocks come to each entry. `wrong` counts entries with another row or column than the topology's,
/// or after a later row of their column.
std::vector<int> visits(const Order& of, int& wrong) {
    const snack::Topology& topology = *of.topology;
    const Size* const offsets = topology.row_offsets().data();
    std::vector<int> times(static_cast<std::size_t>(topology.nnz()), 0);
    for_each_entry(of, [&](Size entry, Size row, Size column, bool ascends) {
        const bool right = row < topology.out_features() && entry >= offsets[row] && entry < offsets[row + 1] &&
                           topology.columns().data()[entry] == column;
        wrong += !right || !ascends;
        if (right) {
            ++times[static_cast<std::size_t>(entry)];
        }
    });
    return times;
}

/// Whether the runs of each block and range have more and more entries a column, and some columns each.
bool runs_ascend(const Order& of) {
    for (Size number = 0; number < of.blocks.count(); ++number) {
        for (Size range = 0; range < of.cuts.ranges(); ++range) {
            const auto block = of.blocks.block(number, range);
            for (Size run = 0; run < block.run_count; ++run) {
                if (block.runs[run].columns == 0 || block.runs[run].length == 0 ||
                    (run > 0 && block.runs[run - 1].length >= block.runs[run].length)) {
                    return false;
                }
            }
        }
    }
    return true;
}

void check_visits(const Pattern& pattern) {
    for (const int threads : {1, 3}) {
        const Order order(pattern, threads);
        CAPTURE(pattern.name, threads);
        CHECK(order.blocks.count() > 0);
        int wrong = 0;
        CHECK(visits(order, wrong) == std::vector<int>(pattern.cells.size(), 1));
        CHECK(wrong == 0);
        CHECK(runs_ascend(order));
    }
}

void check_none(const Pattern& pattern) {
    CAPTURE(pattern.name);
    CHECK(Order(pattern, 1).blocks.count() == 0);
}

/// Every other cell.
Pattern half(Size rows, Size columns) {
    return pattern_of("half", rows, columns, [](Size row, Size column) { return (row + column) % 2 == 0; });
}

}  // namespace

TEST_CASE("column blocks hold every entry once, those of a column by ascending row", "[backends][threads]") {
    check_visits(random_pattern("one block", 60, 90, 900));
    check_visits(random_pattern("blocks and ranges", 600, 500, 20000));
    check_visits(random_pattern("one row more than a block", 257, 100, 4000));
    check_visits(half(300, 40));
    check_visits(half(32, 200));
    check_visits(pattern_of("empty rows and columns", 700, 300,
                            [](Size row, Size column) { return row % 3 != 0 && column % 5 == 1; }));
    check_visits(pattern_of("a block without entries", 700, 30,
                            [](Size row, Size column) { return (row < 256 || row > 520) && column % 3 > 0; }));
    check_visits(pattern_of("one heavy column", 300, 20,
                            [](Size row, Size column) { return column == 3 || (row + column) % 5 == 0; }));
}

TEST_CASE("column blocks have as many rows as 16 bits let them", "[backends]") {
    const Pattern shorter = random_pattern("less than 256 rows a block", 500, 1000, 300000);
    CHECK(Order(shorter, 1).blocks.first_row(1) < 256);
    check_visits(shorter);
    check_visits(half(32, 4096));  // 65,536 entries
    check_none(half(32, 4098));
}

TEST_CASE("there are no column blocks where few entries share a column, nor in nearly full layers", "[backends]") {
    check_none(random_pattern("two in 256 rows", 2560, 1000, 20000));
    check_none(pattern_of("a tall column", 25600, 1, [](Size row, Size) { return row % 85 == 0; }));
    check_none(half(31, 200));
    check_none(pattern_of("no entries", 300, 400, [](Size, Size) { return false; }));
    check_none(half(300, 0));
    check_none(pattern_of("full", 300, 40, [](Size, Size) { return true; }));
}
