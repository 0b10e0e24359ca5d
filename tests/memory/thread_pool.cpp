// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every task runs once, whatever the number of threads, over many rounds in a row, and what the
// tasks wrote is there when the call returns.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <snack/memory/thread_pool.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

namespace {

/// How often each of `tasks` tasks ran. Plain integers: the pool must order the accesses.
std::vector<int> runs_of(Executor& pool, Size tasks) {
    std::vector<int> runs(static_cast<std::size_t>(tasks));
    const auto body = [&](Size task) { ++runs[static_cast<std::size_t>(task)]; };
    pool.parallel_for(tasks, TaskRef(body));
    return runs;
}

}  // namespace

TEST_CASE("a pool runs every task once at any number of threads", "[memory][threads]") {
    const int threads = GENERATE(1, 2, 3, 4, 8, 17);
    ThreadPool pool(threads);

    CHECK(pool.concurrency() == threads);
    for (const Size tasks : {0, 1, 2, 3, 7, 8, 64, 1000}) {
        CAPTURE(threads, tasks);
        REQUIRE(runs_of(pool, tasks) == std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
}

TEST_CASE("a pool runs many short rounds in a row", "[memory][threads]") {
    const int threads = GENERATE(2, 3, 5);
    ThreadPool pool(threads);
    std::vector<Size> sums(16);

    for (Size round = 1; round <= 3000; ++round) {
        const auto body = [&](Size task) { sums[static_cast<std::size_t>(task)] += round; };
        pool.parallel_for(1 + round % 16, TaskRef(body));
    }

    for (Size task = 0; task < 16; ++task) {
        Size expected = 0;
        for (Size round = 1; round <= 3000; ++round) {
            expected += task < 1 + round % 16 ? round : 0;
        }
        CHECK(sums[static_cast<std::size_t>(task)] == expected);
    }
}

TEST_CASE("what one round wrote is visible to the next", "[memory][threads]") {
    ThreadPool pool(4);
    std::vector<Size> values(64, 1);

    for (int round = 0; round < 20; ++round) {
        std::vector<Size> next(64);
        const auto body = [&](Size task) {
            const auto at = static_cast<std::size_t>(task);
            next[at] = values[at] + values[63 - at];
        };
        pool.parallel_for(64, TaskRef(body));
        values = next;
    }

    CHECK(values == std::vector<Size>(64, Size{1} << 20));
}

TEST_CASE("rounds of any number of tasks are shared out whole", "[memory][threads]") {
    ThreadPool pool(3);
    for (Size tasks = 0; tasks < 40; ++tasks) {
        REQUIRE(runs_of(pool, tasks) == std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
}

TEST_CASE("workers that fell asleep wake up again", "[memory][threads]") {
    ThreadPool pool(3);

    for (int round = 0; round < 20; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        REQUIRE(runs_of(pool, 10) == std::vector<int>(10, 1));
    }
}

TEST_CASE("a caller waits for a slow task of another thread", "[memory][threads]") {
    ThreadPool pool(2);
    std::vector<int> done(2);
    const auto body = [&](Size task) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        done[static_cast<std::size_t>(task)] = 1;
    };

    for (int round = 0; round < 10; ++round) {
        done.assign(2, 0);
        pool.parallel_for(2, TaskRef(body));
        REQUIRE(done == std::vector<int>{1, 1});
    }
}

TEST_CASE("each thread begins with the same share in every round", "[memory][threads]") {
    constexpr Size threads = 4;
    ThreadPool pool(threads);
    // The thread that took the first task of each share. They wait for each other there, so each has one.
    const auto first_takers = [&](Size tasks_of_share) {
        std::vector<std::thread::id> takers(threads);
        std::atomic<Size> there = 0;
        const auto body = [&](Size task) {
            if (task % tasks_of_share == 0) {
                takers[static_cast<std::size_t>(task / tasks_of_share)] = std::this_thread::get_id();
                there.fetch_add(1);
                while (there.load() < threads) {
                    std::this_thread::yield();
                }
            }
        };
        pool.parallel_for(threads * tasks_of_share, TaskRef(body));
        return takers;
    };
    const std::vector<std::thread::id> want = first_takers(1);

    CHECK(want[0] == std::this_thread::get_id());
    CHECK(std::set<std::thread::id>(want.begin(), want.end()).size() == threads);
    for (const Size tasks_of_share : {1, 2, 7, 1, 3}) {
        CAPTURE(tasks_of_share);
        CHECK(first_takers(tasks_of_share) == want);
    }
}

TEST_CASE("a thread that is done takes tasks of a slow one's share", "[memory][threads]") {
    using namespace std::chrono_literals;
    ThreadPool pool(2);
    std::vector<std::thread::id> takers(8);
    std::atomic<int> done = 0;
    const auto body = [&](Size task) {
        takers[static_cast<std::size_t>(task)] = std::this_thread::get_id();
        if (task == 0) {  // the first of the caller's four is slow: it lasts until the others are done
            const auto end = std::chrono::steady_clock::now() + 20s;
            while (done.load() < 7 && std::chrono::steady_clock::now() < end) {
                std::this_thread::yield();
            }
        } else {
            done.fetch_add(1);
        }
    };

    pool.parallel_for(8, TaskRef(body));

    CHECK(takers[0] == std::this_thread::get_id());
    CHECK(std::count(takers.begin(), takers.end(), takers[0]) == 1);
}

TEST_CASE("a pool can be destroyed without having run, and right after it has", "[memory][threads]") {
    for (int round = 0; round < 100; ++round) {
        ThreadPool unused(4);
        ThreadPool used(4);
        REQUIRE(runs_of(used, 5) == std::vector<int>(5, 1));
    }
}

TEST_CASE("a pool of fewer than one thread is the calling thread", "[memory][threads]") {
    const int threads = GENERATE(-1, 0, 1);
    ThreadPool pool(threads);
    std::set<std::thread::id> ids;
    const auto body = [&](Size) { ids.insert(std::this_thread::get_id()); };

    pool.parallel_for(10, TaskRef(body));

    CHECK(pool.concurrency() == 1);
    CHECK(ids == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("pools of several threads work side by side", "[memory][threads]") {
    std::vector<int> right(4);
    std::vector<std::thread> callers;
    for (std::size_t caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&right, caller] {
            ThreadPool pool(3);
            for (int round = 0; round < 200; ++round) {
                right[caller] += runs_of(pool, 20) == std::vector<int>(20, 1);
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }

    CHECK(right == std::vector<int>(4, 200));
}

TEST_CASE("a task reference calls constant and mutable bodies", "[memory][threads]") {
    struct Counter {
        mutable Size constant_calls = 0;
        Size mutable_calls = 0;
        void operator()(Size task) { mutable_calls += task; }
        void operator()(Size task) const { constant_calls += task; }
    };
    Counter counter;

    TaskRef{counter}(3);
    TaskRef{std::as_const(counter)}(5);

    CHECK(counter.mutable_calls == 3);
    CHECK(counter.constant_calls == 5);
}
