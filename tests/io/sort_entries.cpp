// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Entries in any order are sorted by cell, and their values follow.

#include <algorithm>
#include <numeric>
#include <vector>

#include <snack/io/sort_entries.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/executors.hpp>

using namespace snack;

namespace {

/// Sorts cells whose values are their positions.
template <class T>
void check(HostContext& ctx, const std::vector<Size>& cells, Size bound) {
    const auto count = static_cast<Size>(cells.size());
    Buffer<Size> sorted(count);
    Buffer<T> values(count);
    for (Size e = 0; e < count; ++e) {
        sorted[e] = cells[static_cast<std::size_t>(e)];
        values[e] = static_cast<T>(e);
    }

    const bool unique = io::detail::EntrySort<T>(sorted, values, bound).sort(ctx);

    bool ascending = true;
    bool repeated = false;
    bool followed = true;
    for (Size e = 0; e < count; ++e) {
        ascending = ascending && (e == 0 || sorted[e - 1] <= sorted[e]);
        repeated = repeated || (e > 0 && sorted[e - 1] == sorted[e]);
        const auto from = static_cast<std::size_t>(values[e]);
        followed = followed && from < cells.size() && cells[from] == sorted[e] &&
                   (e == 0 || sorted[e - 1] < sorted[e] || values[e - 1] < values[e]);  // stable
    }
    CHECK(ascending);
    CHECK(followed);
    CHECK(unique == !repeated);
}

}  // namespace

TEMPLATE_TEST_CASE("entries of any number in any range are sorted", "[io][sort]", float, double) {
    tests::Dice dice(2);
    tests::BackwardsExecutor backwards;
    HostContext one({.threads = 1});
    HostContext three({.threads = 3});
    HostContext other({.executor = &backwards});
    for (const Size count : {2, 3, 40, 5000, 200'000}) {
        for (const int bits : {1, 2, 11, 12, 17, 23, 33, 45, 62}) {
            CAPTURE(count, bits);
            std::vector<Size> cells(static_cast<std::size_t>(count));
            for (Size& cell : cells) {
                cell = dice.below(Size{1} << bits);
            }
            check<TestType>(one, cells, Size{1} << bits);
            check<TestType>(three, cells, Size{1} << bits);
            check<TestType>(other, cells, (Size{1} << bits) + 1);
        }
    }
}

TEST_CASE("entries that are nearly all in one bucket, and those without a second of their kind, are sorted",
          "[io][sort]") {
    HostContext ctx({.threads = 2});
    std::vector<Size> cells(100'000);
    std::iota(cells.rbegin(), cells.rend(), Size{7});
    cells[500] = Size{1} << 60;
    cells[501] = 0;

    check<double>(ctx, cells, (Size{1} << 60) + 1);
}
