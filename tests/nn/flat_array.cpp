// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An array of parameters is its own or lies in lent memory; copies are always apart.

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/memory/host_context.hpp>
#include <snack/nn/flat_array.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

namespace {

FlatArray<int> counting(Size size, Allocator* allocator = nullptr) {
    Buffer<int> buffer(size, allocator);
    for (Size i = 0; i < size; ++i) {
        buffer[i] = static_cast<int>(i);
    }
    return FlatArray<int>(std::move(buffer));
}

/// Stands for a context whose work goes on after its calls have returned: what is freed too early is seen.
class LateContext : public HostContext {
public:
    explicit LateContext(const tests::CountingAllocator& memory) : HostContext({.threads = 1}), memory_(&memory) {}

    void copy(std::span<const int> from, std::span<int> to) {
        from_ = from;
        to_ = to;
    }
    void require_not_capturing(const char*) const {}
    template <class T>
    void finish_before_freeing(const Buffer<T>&) const {
        CHECK(memory_->live_bytes > 0);
        HostContext::copy(from_, to_);
    }

private:
    const tests::CountingAllocator* memory_;
    std::span<const int> from_;
    std::span<int> to_;
};

std::vector<int> elements_of(const FlatArray<int>& array) {
    return {array.span().begin(), array.span().end()};
}

}  // namespace

TEST_CASE("an array has the elements of its buffer", "[nn][flat_array]") {
    const FlatArray<int> array = counting(4);

    CHECK(elements_of(array) == std::vector<int>{0, 1, 2, 3});
    CHECK(array.size() == 4);
    CHECK(array.bytes() == 16);
    CHECK(FlatArray<int>().size() == 0);
}

TEST_CASE("a copied array has memory of its own, lent or not", "[nn][flat_array]") {
    snack::HostContext ctx({.threads = 1});
    std::vector<int> memory(4);
    FlatArray<int> array = counting(4);
    const bool lent = GENERATE(false, true);
    if (lent) {
        array.move_to(ctx, memory);
    }

    FlatArray<int> copy = array;
    FlatArray<int> assigned;
    assigned = copy;
    copy.span()[0] = 9;
    assigned.span()[1] = 8;

    CHECK(elements_of(array) == std::vector<int>{0, 1, 2, 3});
    CHECK(elements_of(copy) == std::vector<int>{9, 1, 2, 3});
    CHECK(elements_of(assigned) == std::vector<int>{0, 8, 2, 3});
}

TEST_CASE("a moved array keeps its memory and leaves an empty one", "[nn][flat_array]") {
    snack::HostContext ctx({.threads = 1});
    std::vector<int> memory(4);
    FlatArray<int> array = counting(4);
    const bool lent = GENERATE(false, true);
    if (lent) {
        array.move_to(ctx, memory);
    }
    const int* const address = array.span().data();

    FlatArray<int> moved(std::move(array));
    FlatArray<int> assigned = counting(2);
    assigned = std::move(moved);

    CHECK(assigned.span().data() == address);
    CHECK(elements_of(assigned) == std::vector<int>{0, 1, 2, 3});
    CHECK(array.size() == 0);
    CHECK(moved.size() == 0);
}

TEST_CASE("an array survives being assigned to itself", "[nn][flat_array]") {
    FlatArray<int> array = counting(3);
    FlatArray<int>& alias = array;

    array = alias;
    array = std::move(alias);

    CHECK(elements_of(array) == std::vector<int>{0, 1, 2});
}

TEST_CASE("an array that moves to lent memory brings its elements and frees its own", "[nn][flat_array]") {
    snack::HostContext ctx({.threads = 1});
    tests::CountingAllocator allocator;
    FlatArray<int> array = counting(4, &allocator);
    std::vector<int> memory(6, -1);

    array.move_to(ctx, std::span(memory).subspan(1, 4));

    CHECK(memory == std::vector<int>{-1, 0, 1, 2, 3, -1});
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("an array's own memory is freed once the copy from it has been ordered", "[nn][flat_array]") {
    tests::CountingAllocator allocator;
    LateContext ctx(allocator);
    FlatArray<int> array = counting(4, &allocator);
    std::vector<int> memory(4);

    array.move_to(ctx, memory);

    CHECK(memory == std::vector<int>{0, 1, 2, 3});
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("an array can move to memory that overlaps where it is", "[nn][flat_array]") {
    snack::HostContext ctx({.threads = 1});
    std::vector<int> memory(6, -1);
    FlatArray<int> array = counting(4);
    array.move_to(ctx, std::span(memory).first(4));

    array.move_to(ctx, std::span(memory).last(4));
    CHECK(elements_of(array) == std::vector<int>{0, 1, 2, 3});
    array.move_to(ctx, std::span(memory).last(4));
    CHECK(elements_of(array) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("a copy takes its memory from the allocator of the array, lent or not", "[nn][flat_array]") {
    snack::HostContext ctx({.threads = 1});
    tests::CountingAllocator allocator;
    FlatArray<int> array = counting(4, &allocator);
    std::vector<int> memory(4);

    const FlatArray<int> copy = array;
    CHECK(allocator.live_bytes == 32);

    array.move_to(ctx, memory);
    const FlatArray<int> copy_of_lent = array;
    CHECK(allocator.live_bytes == 32);
    CHECK(elements_of(copy_of_lent) == elements_of(copy));
}

static_assert(std::is_nothrow_move_constructible_v<FlatArray<float>>);
static_assert(std::is_nothrow_move_assignable_v<FlatArray<float>>);
