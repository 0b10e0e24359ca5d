// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer holds exactly what was asked for, takes it from its allocator and gives it back there.

#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/memory/buffer.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::CountingAllocator;

namespace {

struct Triple {
    double a;
    std::int32_t b;
    char c;
    bool operator==(const Triple&) const = default;
};

/// Writes down every request.
class RecordingAllocator final : public Allocator {
public:
    struct Request {
        void* memory;
        Size bytes;
        Size alignment;
        bool operator==(const Request&) const = default;
    };
    std::vector<Request> taken;
    std::vector<Request> returned;

    void* allocate(Size bytes, Size alignment) override {
        void* const memory = ::operator new(static_cast<std::size_t>(bytes), std::align_val_t(alignment));
        taken.push_back({memory, bytes, alignment});
        return memory;
    }
    void deallocate(void* memory, Size bytes, Size alignment) noexcept override {
        returned.push_back({memory, bytes, alignment});
        ::operator delete(memory, std::align_val_t(alignment));
    }
};

bool is_aligned(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % 64 == 0;
}

template <class T>
T element(Size i) {
    if constexpr (std::is_same_v<T, Triple>) {
        return {static_cast<double>(i), static_cast<std::int32_t>(-i), 'x'};
    } else {
        return static_cast<T>(i);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("a buffer asks for the bytes of its elements, no more, on a cache line", "[memory][buffer]",
                   unsigned char, float, double, std::int32_t, std::int64_t, Triple) {
    for (Size size = 1; size <= 130; ++size) {
        RecordingAllocator allocator;
        const auto bytes = size * static_cast<Size>(sizeof(TestType));

        {
            const Buffer<TestType> buffer(size, &allocator);

            REQUIRE(buffer.size() == size);
            REQUIRE(buffer.bytes() == bytes);
            REQUIRE(buffer.allocator() == &allocator);
            REQUIRE(is_aligned(buffer.data()));
            REQUIRE(allocator.taken ==
                    std::vector<RecordingAllocator::Request>{{allocator.taken[0].memory, bytes, 64}});
        }

        REQUIRE(allocator.returned == allocator.taken);
    }
}

TEST_CASE("a buffer without an allocator starts on a cache line too", "[memory][buffer]") {
    for (Size size = 1; size <= 100; ++size) {
        const Buffer<char> buffer(size);
        REQUIRE(is_aligned(buffer.data()));
        REQUIRE(buffer.allocator() == nullptr);
    }
}

TEST_CASE("an empty buffer takes no memory", "[memory][buffer]") {
    RecordingAllocator allocator;

    const Buffer<double> none(0, &allocator);
    const Buffer<double> filled(0, 1.0, &allocator);
    const Buffer<double> copy = none.clone();

    CHECK(allocator.taken.empty());
    CHECK(none.size() == 0);
    CHECK(none.begin() == none.end());
    CHECK(copy.span().empty());
    CHECK(Buffer<double>().bytes() == 0);
}

TEMPLATE_TEST_CASE("a filled buffer holds its value everywhere and a clone the same elements", "[memory][buffer]",
                   unsigned char, float, std::int64_t, Triple) {
    Buffer<TestType> buffer(100, element<TestType>(7), nullptr);
    for (const TestType& held : buffer) {
        REQUIRE(held == element<TestType>(7));
    }
    for (Size i = 0; i < 100; ++i) {
        buffer[i] = element<TestType>(i);
    }

    Buffer<TestType> copy = buffer.clone();
    buffer.fill(element<TestType>(1));

    REQUIRE(copy.data() != buffer.data());
    for (Size i = 0; i < 100; ++i) {
        REQUIRE(copy[i] == element<TestType>(i));
    }
}

TEST_CASE("moving a buffer moves its memory and leaves it empty", "[memory][buffer]") {
    CountingAllocator allocator;
    Buffer<int> first(10, 3, &allocator);
    const int* const address = first.data();

    Buffer<int> second(std::move(first));
    Buffer<int> third(5, 4, &allocator);
    third = std::move(second);

    CHECK(third.data() == address);
    CHECK(third.size() == 10);
    CHECK(third[9] == 3);
    for (const Buffer<int>* left : {&first, &second}) {
        CHECK(left->size() == 0);
        CHECK(left->data() == nullptr);
        CHECK(left->clone().size() == 0);
    }
    CHECK(allocator.live_bytes == 40);
    CHECK(allocator.calls == 2);
}

TEST_CASE("a buffer survives being moved to itself", "[memory][buffer]") {
    Buffer<int> buffer(10, 3, nullptr);
    Buffer<int>& alias = buffer;
    const int* const address = buffer.data();

    buffer = std::move(alias);

    CHECK(buffer.data() == address);
    CHECK(buffer.size() == 10);
}

TEST_CASE("a moved-from buffer can be assigned to", "[memory][buffer]") {
    Buffer<int> buffer(10, 3, nullptr);
    const Buffer<int> taken(std::move(buffer));

    buffer = Buffer<int>(4, 9, nullptr);

    CHECK(buffer.size() == 4);
    CHECK(buffer[3] == 9);
    CHECK(taken[0] == 3);
}

TEST_CASE("swapped buffers give their memory back to the allocator it came from", "[memory][buffer]") {
    RecordingAllocator a;
    RecordingAllocator b;

    {
        Buffer<int> from_a(10, &a);
        Buffer<int> from_b(20, &b);
        from_a.swap(from_b);
        CHECK(from_a.size() == 20);
        CHECK(from_a.allocator() == &b);
    }

    CHECK(a.returned == a.taken);
    CHECK(b.returned == b.taken);
}

TEST_CASE("a size that is negative or passes 64-bit bytes is refused before memory is asked for", "[memory][buffer]") {
    CountingAllocator allocator;
    const Size size = GENERATE(Size{-1}, std::numeric_limits<Size>::min(), std::numeric_limits<Size>::max(),
                               std::numeric_limits<Size>::max() / 8 + 1);

    REQUIRE_THROWS_AS(Buffer<double>(size, &allocator), ArgumentError);

    CHECK(allocator.calls == 0);
}

TEST_CASE("the text about a refused size tells the size", "[memory][buffer]") {
    CHECK(tests::text_of<ArgumentError>([] { Buffer<float>(-3); }) == "Buffer: cannot hold -3 elements");
}

TEST_CASE("the largest size whose bytes fit 64 bits reaches the allocator", "[memory][buffer]") {
    CountingAllocator allocator;
    allocator.fail_at_call = 0;

    REQUIRE_THROWS_AS(Buffer<double>(std::numeric_limits<Size>::max() / 8, &allocator), std::bad_alloc);

    CHECK(allocator.calls == 1);
}

TEST_CASE("a refused allocation leaves the source of a clone as it was", "[memory][buffer]") {
    CountingAllocator allocator;
    const Buffer<int> buffer(10, 3, &allocator);
    allocator.fail_at_call = allocator.calls;

    REQUIRE_THROWS_AS(buffer.clone(), std::bad_alloc);

    CHECK(buffer[9] == 3);
    CHECK(allocator.live_bytes == 40);
}

static_assert(!std::is_copy_constructible_v<Buffer<int>> && !std::is_copy_assignable_v<Buffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<Buffer<int>> && std::is_nothrow_move_assignable_v<Buffer<int>>);
