// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A context hands out threads and memory: the caller's own where it lends them.

#include <thread>
#include <utility>
#include <vector>

#include <snack/concepts/context.hpp>
#include <snack/memory/host_context.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/executors.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::CountingAllocator;

namespace {

using Pieces = std::vector<std::pair<Size, Size>>;

/// The pieces of [0, count) in the order of where they begin.
Pieces pieces_of(HostContext& ctx, Size count, Size grain) {
    Pieces pieces(static_cast<std::size_t>(count / grain + 1), {-1, -1});
    ctx.parallel_ranges(count, grain, [&](Size begin, Size end) {
        pieces[static_cast<std::size_t>(begin / grain)] = {begin, end};
    });
    while (!pieces.empty() && pieces.back().first < 0) {
        pieces.pop_back();
    }
    return pieces;
}

}  // namespace

TEST_CASE("ranges cover every element once, in order and without empty pieces", "[memory][context][threads]") {
    const int threads = GENERATE(1, 2, 5);
    HostContext ctx({.threads = threads});

    for (const Size count : {0, 1, 2, 9, 10, 11, 99, 100, 101, 1000}) {
        for (const Size grain : {1, 2, 3, 10, 100, 1000, 5000}) {
            const Pieces pieces = pieces_of(ctx, count, grain);

            Size at = 0;
            CAPTURE(count, grain);
            for (const auto& [begin, end] : pieces) {
                REQUIRE(begin == at);
                REQUIRE(end > begin);
                REQUIRE(end - begin <= grain);
                at = end;
            }
            REQUIRE(at == count);
        }
    }
}

TEST_CASE("where ranges are cut does not depend on the threads", "[memory][context][threads]") {
    HostContext one({.threads = 1});
    HostContext many({.threads = 7});
    tests::BackwardsExecutor executor;
    HostContext lent({.executor = &executor});

    for (const Size count : {1, 10, 57, 1000}) {
        for (const Size grain : {1, 7, 64}) {
            const Pieces pieces = pieces_of(one, count, grain);
            CHECK(pieces == pieces_of(many, count, grain));
            CHECK(pieces == pieces_of(lent, count, grain));
        }
    }
}

TEST_CASE("a context runs on the caller's executor", "[memory][context]") {
    tests::BackwardsExecutor executor;
    HostContext ctx({.threads = 2, .executor = &executor});
    std::vector<Size> order;

    ctx.parallel_for(3, [&](Size task) { order.push_back(task); });

    CHECK(ctx.threads() == 5);
    CHECK(executor.rounds == 1);
    CHECK(order == std::vector<Size>{2, 1, 0});
}

TEST_CASE("a single task runs on the calling thread", "[memory][context]") {
    tests::BackwardsExecutor executor;
    HostContext lent({.executor = &executor});
    HostContext own({.threads = 4});
    std::vector<std::thread::id> ids;
    const auto note = [&](Size) { ids.push_back(std::this_thread::get_id()); };

    lent.parallel_for(1, note);
    own.parallel_for(1, note);
    own.parallel_for(0, note);

    CHECK(executor.rounds == 0);
    CHECK(ids == std::vector<std::thread::id>(2, std::this_thread::get_id()));
}

TEST_CASE("a context has as many threads as were asked for, or as the machine has", "[memory][context]") {
    const auto available = static_cast<int>(std::thread::hardware_concurrency());

    CHECK(HostContext({.threads = 1}).threads() == 1);
    CHECK(HostContext({.threads = 6}).threads() == 6);
    CHECK(HostContext().threads() == (available > 0 ? available : 1));
}

TEST_CASE("a negative number of threads is refused", "[memory][context]") {
    const std::string text = tests::text_of<ArgumentError>([] { HostContext({.threads = -2}); });

    CHECK(tests::contains(text, "HostContext: -2 threads"));
}

TEST_CASE("memory comes from the caller's allocator and goes back there", "[memory][context]") {
    CountingAllocator allocator;

    {
        HostContext ctx({.threads = 1, .allocator = &allocator});
        const Buffer<double> buffer = ctx.allocate<double>(10);
        CHECK(ctx.allocator() == &allocator);
        CHECK(allocator.live_bytes == 80);
        ctx.scratch<float>(0, 25);
        CHECK(allocator.live_bytes == 180);
    }

    CHECK(allocator.live_bytes == 0);
    CHECK(HostContext({.threads = 1}).allocator() == nullptr);
}

TEST_CASE("a moved context keeps its threads and its scratch space", "[memory][context][threads]") {
    HostContext source({.threads = 3});
    double* const scratch = source.scratch<double>(0, 10).data();

    HostContext moved(std::move(source));
    HostContext assigned({.threads = 2});
    assigned = std::move(moved);

    CHECK(assigned.threads() == 3);
    CHECK(assigned.scratch<double>(0, 10).data() == scratch);
    CHECK(pieces_of(assigned, 100, 10).size() == 10);
}

TEST_CASE("contexts of several threads work side by side", "[memory][context][threads]") {
    std::vector<Size> sums(4);
    std::vector<std::thread> users;
    for (std::size_t user = 0; user < 4; ++user) {
        users.emplace_back([&sums, user] {
            HostContext ctx({.threads = 2});
            for (int round = 0; round < 100; ++round) {
                const std::span<Size> scratch = ctx.scratch<Size>(0, 1000);
                ctx.parallel_ranges(1000, 64, [&](Size begin, Size end) {
                    for (Size i = begin; i < end; ++i) {
                        scratch.data()[i] = i;
                    }
                });
                for (const Size number : scratch) {
                    sums[user] += number;
                }
            }
        });
    }
    for (std::thread& user : users) {
        user.join();
    }

    CHECK(sums == std::vector<Size>(4, 100 * 999 * 500));
}

static_assert(Context<HostContext>);
