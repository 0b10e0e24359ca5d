// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory the host's plan takes, and what it holds for it.

#include <snack/backends/host.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>

using namespace tests;

namespace {

auto plan_of(const Pattern& pattern, snack::PlanUse use) {
    snack::HostContext ctx({.threads = 1});
    return snack::Host::make_plan<float>(ctx, pattern.topology(), use);
}

/// Bytes for each entry, besides 8 for the first column of each range and of the end.
bool takes_at_most(double bytes_of_entry, const Pattern& pattern, snack::PlanUse use) {
    const auto plan = plan_of(pattern, use);
    const Size of_ranges = (plan.cuts().ranges() + 1) * 8;
    return static_cast<double>(plan.bytes() - of_ranges) <= bytes_of_entry * static_cast<double>(pattern.nnz());
}

/// Of a plan that has blocks: 2.5 for columns and cuts, and up to 4.8 for the blocks and 24 for their end.
void check_training(double bytes_of_entry, const Pattern& pattern) {
    CAPTURE(pattern.name);
    REQUIRE(plan_of(pattern, snack::PlanUse::training).blocks().count() > 0);
    CHECK(takes_at_most(bytes_of_entry + 24. / static_cast<double>(pattern.nnz()), pattern, snack::PlanUse::training));
}

}  // namespace

TEST_CASE("a plan for inference takes 2.5 bytes an entry where columns fit 16 bits", "[backends]") {
    constexpr auto use = snack::PlanUse::inference;
    for (const Pattern& pattern : pattern_battery()) {
        if (pattern.in_features <= 65536) {
            CAPTURE(pattern.name);
            CHECK(takes_at_most(2.5, pattern, use));
        }
    }
    CHECK(takes_at_most(2.5, random_pattern("many ranges", 100, 2000, 100000), use));
    CHECK(takes_at_most(2.5, random_pattern("as wide as 16 bits", 3, 65536, 100000), use));
    CHECK(takes_at_most(2.5, pattern_of("full", 120, 130, [](Size, Size) { return true; }), use));
}

TEST_CASE("a plan for inference takes 4.5 bytes an entry where columns do not", "[backends]") {
    const Pattern wide = random_pattern("wider than 16 bits", 3, 65537, 100000);

    CHECK(takes_at_most(4.5, wide, snack::PlanUse::inference));
    CHECK_FALSE(takes_at_most(2.5, wide, snack::PlanUse::inference));
}

TEST_CASE("a plan for training takes 6.3 bytes an entry where columns have many, and at most 7.3", "[backends]") {
    for (const Pattern& pattern : pattern_battery()) {
        if (pattern.in_features <= 65536) {
            CAPTURE(pattern.name);
            CHECK(takes_at_most(7.3 + 24, pattern, snack::PlanUse::training));
        }
    }
    check_training(6.3, random_pattern("95 % sparse", 1000, 1000, 50000));
    check_training(6.3, pattern_of("half", 120, 130, [](Size row, Size column) { return (row + column) % 2 == 0; }));
    // The dearest: a short block and ranges of few entries, and one row more than a block has.
    check_training(7.3, random_pattern("just enough for a block", 32, 1000, 3000));
    check_training(7.3, random_pattern("short blocks", 32, 300, 2000));
    check_training(7.3, random_pattern("one row more", 257, 1000, 4000));
}

TEST_CASE("a plan for training takes no more than one for inference where columns have few entries", "[backends]") {
    const std::vector<Pattern> patterns = {
        random_pattern("two in 256 rows", 2560, 1000, 20000),
        pattern_of("a tall column", 25600, 1, [](Size row, Size) { return row % 85 == 0; }),
    };
    for (const Pattern& sparse : patterns) {
        CAPTURE(sparse.name);
        CHECK(plan_of(sparse, snack::PlanUse::training).bytes() == plan_of(sparse, snack::PlanUse::inference).bytes());
    }
}

TEST_CASE("a plan's columns are those of its topology", "[backends]") {
    for (const Pattern& pattern : pattern_battery()) {
        const auto plan = plan_of(pattern, snack::PlanUse::training);
        std::vector<Size> got;
        plan.with_columns([&](const auto* columns) {
            for (Size e = 0; e < pattern.nnz(); ++e) {
                got.push_back(static_cast<Size>(columns[e]));
            }
        });

        std::vector<Size> want;
        for (std::size_t e = 0; e < pattern.cells.size(); ++e) {
            want.push_back(pattern.column(e));
        }
        CAPTURE(pattern.name);
        CHECK(got == want);
    }
}
