// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cutting rows into tasks: every row belongs to exactly one task, and shares are even.

#include <vector>

#include <snack/kernels/host/split.hpp>
#include <tests/support/catch.hpp>

using snack::Size;
using snack::kernels::host::segment_of_task;
using snack::kernels::host::tasks_for;

namespace {

/// Offsets of segments of the given lengths.
std::vector<Size> offsets_of(const std::vector<Size>& lengths) {
    std::vector<Size> offsets = {0};
    for (const Size length : lengths) {
        offsets.push_back(offsets.back() + length);
    }
    return offsets;
}

}  // namespace

TEST_CASE("tasks cover all segments in order, none twice", "[kernels]") {
    for (const auto& lengths : std::vector<std::vector<Size>>{
             {}, {0}, {5}, {0, 0, 0}, {1, 2, 3, 4}, {1000, 1, 1, 1}, {1, 1, 1, 1000}, std::vector<Size>(100, 7)}) {
        const std::vector<Size> offsets = offsets_of(lengths);
        const auto before = [&](Size segment) { return offsets[static_cast<std::size_t>(segment)]; };
        const auto segments = static_cast<Size>(lengths.size());
        for (const Size tasks : {1, 2, 3, 64}) {
            CAPTURE(lengths, tasks);
            REQUIRE(segment_of_task(before, segments, 0, tasks) == 0);
            REQUIRE(segment_of_task(before, segments, tasks, tasks) == segments);
            for (Size task = 0; task < tasks; ++task) {
                REQUIRE(segment_of_task(before, segments, task, tasks) <=
                        segment_of_task(before, segments, task + 1, tasks));
            }
        }
    }
}

TEST_CASE("shares differ by no more than the longest segment", "[kernels]") {
    std::vector<Size> lengths;
    for (Size i = 0; i < 500; ++i) {
        lengths.push_back(i * i * 31 % 97);
    }
    const std::vector<Size> offsets = offsets_of(lengths);
    const auto before = [&](Size segment) { return offsets[static_cast<std::size_t>(segment)]; };

    for (Size task = 0; task < 8; ++task) {
        const Size begin = segment_of_task(before, 500, task, 8);
        const Size end = segment_of_task(before, 500, task + 1, 8);
        const Size weight = before(end) - before(begin) + end - begin;
        CHECK(std::abs(weight - (offsets.back() + 500) / 8) <= 97 + 1);
    }
}

TEST_CASE("the number of tasks grows with the work, up to segments and limit", "[kernels]") {
    constexpr Size huge = Size{1} << 61;

    CHECK(tasks_for(0, 0, 0, 64) == 1);
    CHECK(tasks_for(10, 5, 1, 64) == 1);
    CHECK(tasks_for(1000000, 5, 100, 64) == 5);
    CHECK(tasks_for(1000000, 1000, 100, 64) == 64);
    CHECK(tasks_for(1000000, 1000, 100, 1) == 1);
    CHECK(tasks_for(huge, 1000, huge, 64) == 64);
    CHECK(tasks_for(0, 1000, huge, 64) == 64);
}
