// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers that ask for large pages are buffers like any other.

#include <snack/io/large_buffer.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

TEST_CASE("large buffers hold what is put into them, whoever lends the memory", "[io]") {
    tests::CountingAllocator counting;
    for (Allocator* allocator : {static_cast<Allocator*>(nullptr), static_cast<Allocator*>(&counting)}) {
        for (const Size size : {0, 1, 1 << 18, (1 << 20) + 1}) {
            auto buffer = io::detail::large_buffer<double>(size, allocator);
            for (Size i = 0; i < size; ++i) {
                buffer[i] = static_cast<double>(i);
            }

            REQUIRE(buffer.size() == size);
            CHECK(buffer.allocator() == allocator);
            CHECK((size == 0 || (buffer[0] == 0 && buffer[size - 1] == static_cast<double>(size - 1))));
        }
    }
    CHECK(counting.live_bytes == 0);
}
