// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The column cuts of the host's plan: every entry lies in the segment of its row and range.

#include <snack/backends/host/column_cuts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>

using namespace tests;

namespace {

/// Checks every segment against the topology, and returns the number of ranges.
Size check_cuts(const snack::Topology& topology, int threads) {
    snack::HostContext ctx({.threads = threads});
    const snack::detail::host::ColumnCuts cuts(ctx, topology);
    const Size ranges = cuts.ranges();
    REQUIRE(cuts.first_column(0) == 0);
    REQUIRE(cuts.first_column(ranges) == topology.in_features());
    bool right = true;
    for (Size range = 0; range < ranges; ++range) {
        const auto segments = cuts.segments(topology, range, range + 1);
        for (Size row = 0; row < topology.out_features(); ++row) {
            right = right && segments.begin(row) <= segments.end(row);
            for (Size e = segments.begin(row); e < segments.end(row); ++e) {
                const Size column = topology.columns().data()[e];
                right = right && column >= cuts.first_column(range) && column < cuts.first_column(range + 1);
            }
            right = right && (range > 0 || segments.begin(row) == topology.row_offsets().data()[row]);
            right = right && (range + 1 < ranges || segments.end(row) == topology.row_offsets().data()[row + 1]);
        }
        if (range > 0) {
            const auto before = cuts.segments(topology, range - 1, range);
            for (Size row = 0; row < topology.out_features(); ++row) {
                right = right && before.end(row) == segments.begin(row);
            }
        }
    }
    CHECK(right);
    return ranges;
}

}  // namespace

TEST_CASE("column cuts share out the entries of every row", "[backends]") {
    for (const Pattern& pattern : pattern_battery()) {
        CAPTURE(pattern.name);
        check_cuts(*pattern.topology(), 1);
    }
}

TEST_CASE("the more entries a row has, the more ranges there are", "[backends][threads]") {
    CHECK(check_cuts(*random_pattern("sparse", 1000, 784, 4000).topology(), 2) == 1);
    CHECK(check_cuts(*random_pattern("denser", 1000, 784, 39200).topology(), 2) == 4);
    CHECK(check_cuts(*random_pattern("denser", 100, 2000, 100000).topology(), 2) == 64);
}

TEST_CASE("ranges have about equal entries where columns do not", "[backends]") {
    // The first hundred columns are full, the others have one entry in fifty rows.
    const auto topology = pattern_of("skewed", 500, 1100, [](Size row, Size column) {
                              return column < 100 || (row + column) % 50 == 0;
                          }).topology();
    snack::HostContext ctx({.threads = 1});
    const snack::detail::host::ColumnCuts cuts(ctx, *topology);
    REQUIRE(cuts.ranges() == 8);
    for (Size range = 0; range < 8; ++range) {
        const auto segments = cuts.segments(*topology, range, range + 1);
        Size entries = 0;
        for (Size row = 0; row < 500; ++row) {
            entries += segments.end(row) - segments.begin(row);
        }
        CHECK(entries > topology->nnz() / 8 * 3 / 4);
        CHECK(entries < topology->nnz() / 8 * 5 / 4);
    }
}
