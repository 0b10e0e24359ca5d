// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The library's own small pool: threads - 1 workers and the calling thread.
// Each thread begins with the same share of the tasks in every round, so that what it wrote is still in
// its cache, and helps others when its own are done. Idle workers spin for some microseconds, since
// the next layer's kernel follows soon, and sleep after that. A worker that wakes when all tasks are
// taken finds the gate closed and is not waited for, so a busy machine costs no more than its cores.

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <snack/memory/executor.hpp>

namespace snack::inline v0 {

/// An executor with its own threads, joined by the destructor. One parallel_for at a time.
class ThreadPool final : public Executor {
public:
    /// @param threads  how many run at once, the caller included; at least 1
    explicit ThreadPool(int threads)
        : shares_(std::make_unique<Share[]>(threads > 1 ? static_cast<std::size_t>(threads) : 1)) {
        workers_.reserve(static_cast<std::size_t>(threads > 1 ? threads - 1 : 0));
        StopOnUnwind guard{this};
        for (int i = 1; i < threads; ++i) {
            workers_.emplace_back([this, i] { work(i); });
        }
        guard.pool = nullptr;
    }

    ~ThreadPool() override { stop(); }

    int concurrency() const noexcept override { return static_cast<int>(workers_.size()) + 1; }

    void parallel_for(Size tasks, TaskRef task) override {
        if (workers_.empty() || tasks <= 1) {
            for (Size i = 0; i < tasks; ++i) {
                task(i);
            }
            return;
        }
        task_ = &task;
        const Size threads = concurrency();
        for (Size i = 0; i < threads; ++i) {
            const auto first = [&](Size share) { return tasks / threads * share + tasks % threads * share / threads; };
            shares_[static_cast<std::size_t>(i)].next.store(first(i), std::memory_order_relaxed);
            shares_[static_cast<std::size_t>(i)].end = first(i + 1);
        }
        gate_.fetch_and(~closed, std::memory_order_release);
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
        drain(0);
        gate_.fetch_or(closed, std::memory_order_acq_rel);
        wait_while(gate_, [](unsigned gate) { return gate != closed; });
    }

private:
    /// The bit of gate_ that says no worker may join; the rest counts those inside.
    static constexpr unsigned closed = 1u << 31;

    /// Tasks [next, end) of a round that nobody has taken.
    struct alignas(64) Share {
        std::atomic<Size> next{0};
        Size end = 0;
    };

    struct StopOnUnwind {
        ThreadPool* pool;
        ~StopOnUnwind() {
            if (pool != nullptr) {
                pool->stop();
            }
        }
    };

    void stop() noexcept {
        stopping_.store(true, std::memory_order_relaxed);
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
        for (std::thread& worker : workers_) {
            worker.join();
        }
        workers_.clear();
    }

    /// Spins, then sleeps, until the value no longer satisfies `waiting`.
    template <class Value, class Predicate>
    static Value wait_while(std::atomic<Value>& flag, Predicate waiting) {
        Value value = flag.load(std::memory_order_acquire);
        for (int spin = 0; spin < 2000 && waiting(value); ++spin) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
            value = flag.load(std::memory_order_acquire);
        }
        while (waiting(value)) {
            flag.wait(value, std::memory_order_acquire);
            value = flag.load(std::memory_order_acquire);
        }
        return value;
    }

    void drain(int thread) {
        const int threads = concurrency();
        for (int i = 0; i < threads; ++i) {
            Share& share = shares_[static_cast<std::size_t>((thread + i) % threads)];
            while (share.next.load(std::memory_order_relaxed) < share.end) {
                const Size task = share.next.fetch_add(1, std::memory_order_relaxed);
                if (task < share.end) {
                    (*task_)(task);
                }
            }
        }
    }

    void work(int thread) {
        unsigned seen = 0;
        for (;;) {
            seen = wait_while(round_, [seen](unsigned round) { return round == seen; });
            if (stopping_.load(std::memory_order_relaxed)) {
                return;
            }
            if ((gate_.fetch_add(1, std::memory_order_acquire) & closed) == 0) {
                drain(thread);
            }
            if (gate_.fetch_sub(1, std::memory_order_acq_rel) == closed + 1) {
                gate_.notify_one();
            }
        }
    }

    std::unique_ptr<Share[]> shares_;  // one a thread
    std::vector<std::thread> workers_;
    const TaskRef* task_ = nullptr;
    std::atomic<bool> stopping_{false};
    alignas(64) std::atomic<unsigned> round_{0};
    alignas(64) std::atomic<unsigned> gate_{closed};
};

}  // namespace snack::inline v0
