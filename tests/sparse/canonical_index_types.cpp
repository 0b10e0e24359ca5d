// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coordinates of any integer type are range-checked before they are narrowed.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <snack/sparse/canonical.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::text_of;

namespace {

template <class I>
Canonical canonical(Size out_features, Size in_features, const std::vector<I>& rows, const std::vector<I>& columns) {
    return canonicalize<I>(out_features, in_features, rows, columns);
}

/// Refuses `bad` as a row and as a column of a 4 x 4 matrix, naming the entry and the number.
template <class I>
void require_refused(I bad) {
    const std::string number = std::to_string(bad);
    CAPTURE(number);
    const std::string as_row = text_of<TopologyError>([&] { canonical<I>(4, 4, {0, 1, bad}, {0, 1, 2}); });
    const std::string as_column = text_of<TopologyError>([&] { canonical<I>(4, 4, {0, bad, 1}, {0, bad, 1}); });
    REQUIRE(contains(as_row, "entry 2 at (" + number + ", 2) is outside a 4 x 4 matrix"));
    REQUIRE(contains(as_column, "entry 1 at (" + number + ", " + number + ") is outside"));
    REQUIRE_THROWS_AS(canonical<I>(4, 4, {0}, {bad}), TopologyError);
}

}  // namespace

TEMPLATE_TEST_CASE("coordinates of every integer type give the same topology", "[sparse][canonical]", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                   long long, unsigned long long) {
    const Canonical expected = canonical<Index>(4, 5, {3, 0, 2, 0}, {4, 1, 2, 0});

    const Canonical result = canonical<TestType>(4, 5, {3, 0, 2, 0}, {4, 1, 2, 0});

    CHECK(same_coordinates(*result.topology, *expected.topology));
    for (Size e = 0; e < 4; ++e) {
        CHECK(result.permutation[e] == expected.permutation[e]);
    }
}

TEMPLATE_TEST_CASE("the limits of every integer type are refused where they are outside", "[sparse][canonical]",
                   std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
    require_refused<TestType>(std::numeric_limits<TestType>::max());
    require_refused<TestType>(4);
    if (std::numeric_limits<TestType>::is_signed) {
        require_refused<TestType>(std::numeric_limits<TestType>::min());
        require_refused<TestType>(static_cast<TestType>(-1));
    }
}

TEST_CASE("numbers that would be in range after narrowing are refused", "[sparse][canonical]") {
    for (const std::int64_t offset : {0, 1, 3}) {
        require_refused<std::int64_t>((std::int64_t{1} << 31) + offset);
        require_refused<std::int64_t>((std::int64_t{1} << 32) + offset);
        require_refused<std::int64_t>(-(std::int64_t{1} << 32) + offset);
        require_refused<std::int64_t>(std::numeric_limits<std::int64_t>::min() + offset);
        require_refused<std::uint64_t>((std::uint64_t{1} << 32) + static_cast<std::uint64_t>(offset));
        require_refused<std::uint64_t>((std::uint64_t{1} << 63) + static_cast<std::uint64_t>(offset));
        require_refused<std::uint64_t>(~std::uint64_t{0} - static_cast<std::uint64_t>(offset));
        require_refused<std::uint32_t>((std::uint32_t{1} << 31) + static_cast<std::uint32_t>(offset));
        require_refused<std::uint32_t>(~std::uint32_t{0} - static_cast<std::uint32_t>(offset));
    }
}

TEMPLATE_TEST_CASE("a coordinate given twice is refused in every integer type", "[sparse][canonical]", std::int8_t,
                   std::uint16_t, std::int64_t, std::uint64_t) {
    const std::string text = text_of<TopologyError>([] { canonical<TestType>(1, 2, {0, 0}, {1, 1}); });

    CHECK(contains(text, "entry 1 at (0, 1) is given twice"));
}

TEST_CASE("the largest coordinates of the largest matrix are kept", "[sparse][canonical]") {
    const std::int64_t last = max_features - 1;

    const Canonical wide = canonical<std::int64_t>(3, max_features, {2, 2, 0}, {last, 0, last});

    CHECK(wide.topology->columns()[0] == last);
    CHECK(wide.topology->columns()[1] == 0);
    CHECK(wide.topology->columns()[2] == last);
    REQUIRE_THROWS_AS(canonical<std::int64_t>(3, max_features, {0}, {last + 1}), TopologyError);
}
