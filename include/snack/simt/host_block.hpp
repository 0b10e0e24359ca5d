// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs the threads of one block on fibers: a thread runs until a collective, where it waits for
// the others. A thread that meets none costs a call: its fiber takes the next thread at once.

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <snack/core/error.hpp>
#include <snack/simt/async_copies.hpp>
#include <snack/simt/block_schedule.hpp>
#include <snack/simt/fiber.hpp>
#include <snack/simt/shared_memory.hpp>
#include <snack/simt/simt_error.hpp>
#include <snack/simt/stuck_report.hpp>

namespace snack::inline v0::simt {

class HostBlock;

/// A kernel whose type is forgotten.
struct KernelCall {
    const char* name;
    int block_threads;
    const void* kernel;
    void (*run_thread)(const void* kernel, HostBlock& block, int thread);
};

/// To be driven thus: begin_launch(); for each block begin(), run_until_stuck() and, while the block is
/// at_cluster_barrier(), pass_cluster_barrier() and run_until_stuck() again. After an error, abandon().
class HostBlock {
public:
    using Cluster = std::vector<std::unique_ptr<HostBlock>>;

    /// `cluster` holds this block and those that run with it, by rank.
    /// Fibers point back here, so a block stays where it is.
    explicit HostBlock(const Cluster& cluster) : cluster_(cluster) {}
    HostBlock(const HostBlock&) = delete;
    HostBlock& operator=(const HostBlock&) = delete;

    /// Prepares for blocks of a launch.
    void begin_launch(const KernelCall& call, const LaunchShape& shape) {
        call_ = call;
        shape_ = shape;
        shared_.resize(shape.shared_bytes);
        const auto threads = static_cast<std::size_t>(call.block_threads);
        if (threads > threads_.size()) {
            threads_.resize(threads);
            fibers_.reserve(threads);
            idle_.reserve(threads);
        }
    }

    /// Prepares for the threads of one block.
    void begin(Size block_x, Size block_y, ThreadOrder order, std::uint64_t seed) {
        if (!returned()) {
            abandon();  // a block that ended in an exception of the system
        }
        block_x_ = block_x;
        block_y_ = block_y;
        shared_.open();
        shared_.poison();
        schedule_.begin(call_.block_threads, order, seed, block_y * shape_.blocks_x + block_x);
        error_.clear();
    }

    /// Runs threads until all have returned, all have come to a sync_cluster, or there is an error:
    /// one of them broke a rule, or none can go on.
    void run_until_stuck() {
        for (current_ = schedule_.next(); current_ >= 0;) {
            running_ = take_fiber();
            running_->resume();
        }
        if (error_.empty() && !returned() && !at_cluster_barrier()) {
            error_ = headline() + " cannot go on: " + places_of_threads(schedule_);
        }
    }

    bool returned() const { return schedule_.finished(); }
    bool at_cluster_barrier() const { return schedule_.at_cluster_barrier(); }
    const CallSite& cluster_barrier() const { return schedule_[0].site; }
    void pass_cluster_barrier() { schedule_.release_block(); }

    /// Empty if there is none.
    const std::string& error() const { return error_; }

    /// Ends the calls of all threads that wait.
    void abandon() {
        for (Thread& thread : threads_) {
            if (thread.fiber != nullptr) {
                thread.fiber->drop();
                idle_.push_back(std::exchange(thread.fiber, nullptr));
                thread.copies.clear();
            }
        }
    }

    /// "kernel: block (3, 0)"
    std::string headline() const {
        return std::string(call_.name) + ": block (" + std::to_string(block_x_) + ", " + std::to_string(block_y_) + ")";
    }

    const LaunchShape& shape() const { return shape_; }
    Size block_x() const { return block_x_; }
    Size block_y() const { return block_y_; }
    int cluster_rank() const { return static_cast<int>(block_x_ % shape_.cluster_x); }
    HostBlock& in_cluster(int rank) const { return *cluster_[static_cast<std::size_t>(rank)]; }
    SharedMemory& shared_memory() { return shared_; }
    /// Whether an address lies in the shared memory of this block or of another one of the cluster.
    bool is_shared(const void* address) const {
        for (int rank = 0; rank < shape_.cluster_x; ++rank) {
            if (in_cluster(rank).shared_memory().contains(address, 1)) {
                return true;
            }
        }
        return false;
    }
    AsyncCopies& copies(int thread) { return threads_[static_cast<std::size_t>(thread)].copies; }

    /// On a fiber: waits until all threads of the cluster, the block or the warp are at `site`.
    void meet(int thread, const CallSite& site) {
        schedule_.arrive(thread, site);
        Fiber* const own = running_;
        threads_[static_cast<std::size_t>(thread)].fiber = own;
        current_ = schedule_.next();
        own->suspend();
    }

    /// On a fiber: a meeting of the warp to which each lane brings a value. The values are then at
    /// the returned address, two apart, until the lane comes to the next meeting but one.
    const std::uint64_t* exchange(int thread, const CallSite& site, std::uint64_t value) {
        const unsigned side = schedule_.meetings(thread) % 2;
        values_[thread][side] = value;
        meet(thread, site);
        return &values_[thread / warp_size * warp_size][side];
    }

    /// On a fiber: ends the block with an error about this thread.
    template <class... Parts>
    [[noreturn, gnu::cold, gnu::noinline]] void fail(int thread, const CallSite& site, const Parts&... parts) {
        {
            std::string text = headline() + ", thread " + std::to_string(thread) + ", ";
            append(text, site);
            text += ": ";
            (snack::detail::append(text, parts), ...);
            error_.swap(text);
        }
        end_block(thread);
    }

private:
    struct Thread {
        Fiber* fiber = nullptr;  ///< that it waits on
        AsyncCopies copies;
    };

    /// The fiber that the current thread waits on, or an idle one.
    Fiber* take_fiber() {
        Thread& thread = threads_[static_cast<std::size_t>(current_)];
        if (thread.fiber != nullptr) {
            return std::exchange(thread.fiber, nullptr);
        }
        if (idle_.empty()) {
            fibers_.push_back(std::make_unique<Fiber>(&HostBlock::run_threads, this));
            return fibers_.back().get();
        }
        Fiber* const fiber = idle_.back();
        idle_.pop_back();
        return fiber;
    }

    /// On a fiber: nothing of the block runs any more once this thread has found an error.
    [[noreturn]] void end_block(int thread) {
        current_ = -1;
        copies(thread).clear();
        idle_.push_back(running_);
        running_->end_call();
    }

    /// On a fiber: runs a thread from its first line to its last. An exception must not leave the fiber's stack.
    void call_kernel(int thread) {
#if defined(__cpp_exceptions)
        try {
            call_.run_thread(call_.kernel, *this, thread);
            return;
        } catch (const std::exception& exception) {
            error_ = headline() + ", thread " + std::to_string(thread) + ": it threw: " + exception.what();
        } catch (...) {
            error_ = headline() + ", thread " + std::to_string(thread) + ": it threw what is no std::exception";
        }
        end_block(thread);
#else
        call_.run_thread(call_.kernel, *this, thread);
#endif
    }

    /// On a fiber: runs threads until one is next that waits on another fiber.
    static void run_threads(void* self) {
        HostBlock& block = *static_cast<HostBlock*>(self);
        Fiber* const own = block.running_;
        do {
            const int thread = block.current_;
            block.call_kernel(thread);
            AsyncCopies& copies = block.copies(thread);
            if (!copies.empty()) {
                block.fail(thread, copies.oldest(), "the thread returned and had not waited for this copy");
            }
            copies.clear();
            block.schedule_.end(thread);
            block.current_ = block.schedule_.next();
        } while (block.current_ >= 0 && block.schedule_.state(block.current_) == ThreadState::fresh);
        block.idle_.push_back(own);
    }

    const Cluster& cluster_;
    KernelCall call_ = {};
    LaunchShape shape_;
    Size block_x_ = 0;
    Size block_y_ = 0;
    BlockSchedule schedule_;
    SharedMemory shared_;
    std::vector<Thread> threads_;
    std::uint64_t values_[1024][2] = {};
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber*> idle_;
    Fiber* running_ = nullptr;
    int current_ = -1;  ///< the thread that runs, or that the launcher is to run next
    std::string error_;
};

}  // namespace snack::inline v0::simt
