// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order of the host's backward pass: every entry once, by block and column, rows ascending.

#include <type_traits>
#include <vector>

#include <snack/backends/host_column_order.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>

using namespace tests;

namespace {

/// Walks the order and checks it against the topology it was made from.
void check_order(const snack::Topology& topology, Size& blocks, bool& narrow) {
    snack::HostContext ctx({.threads = 1});
    const snack::detail::HostColumnOrder order(ctx, topology);
    const auto rows = topology.rows();
    std::vector<int> visits(static_cast<std::size_t>(topology.nnz()));
    bool right = true;
    blocks = order.blocks();
    order.with_blocks([&](const auto& block_at) {
        for (Size b = 0; b < blocks; ++b) {
            const auto block = block_at(b);
            narrow = sizeof(block.positions[0]) == 2;
            right = right && block.first_of_all == (b == 0);
            for (Size column = 0; column < topology.in_features(); ++column) {
                Size last_row = -1;
                for (Size i = block.column_offsets[column]; i < block.column_offsets[column + 1]; ++i) {
                    const Size entry = block.first_entry + block.positions[i];
                    const Size row = block.first_row + block.rows[i];
                    right = right && entry < topology.nnz() && topology.columns().data()[entry] == column &&
                            rows[entry] == row && row > last_row;
                    last_row = row;
                    ++visits[static_cast<std::size_t>(entry)];
                }
            }
        }
    });
    CHECK(right);
    CHECK(visits == std::vector<int>(visits.size(), 1));
    CHECK(order.entries_before(topology.in_features()) == topology.nnz());
}

}  // namespace

TEST_CASE("the column order visits every entry once, by column", "[backends]") {
    for (const Pattern& pattern : pattern_battery()) {
        Size blocks = 0;
        bool narrow = false;
        CAPTURE(pattern.name);
        check_order(*pattern.topology(), blocks, narrow);
        CHECK(blocks == 1);
    }
}

TEST_CASE("many entries are cut into blocks whose positions fit 16 bits", "[backends]") {
    Size blocks = 0;
    bool narrow = false;
    check_order(*random_pattern("large", 1000, 784, 700000).topology(), blocks, narrow);

    CHECK(blocks > 8);
    CHECK(narrow);
}

TEST_CASE("a row longer than a block widens the positions", "[backends]") {
    Size blocks = 0;
    bool narrow = true;
    check_order(*pattern_of("long", 3, 70000, [](Size, Size) { return true; }).topology(), blocks, narrow);

    CHECK(blocks == 1);
    CHECK_FALSE(narrow);
}
