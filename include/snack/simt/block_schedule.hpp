// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Who of a block may run next, and who waits for whom. A warp runs until none of its lanes can go
// on, then the next one: so warps are as far apart as barriers let them be, which is where a
// missing barrier shows.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <snack/core/types.hpp>
#include <snack/simt/call_site.hpp>
#include <snack/simt/launch_shape.hpp>
#include <snack/simt/thread_order.hpp>

namespace snack::inline v0::simt {

enum class ThreadState : std::uint8_t { fresh, released, waiting, returned };

class BlockSchedule {
public:
    struct Thread {
        ThreadState state = ThreadState::fresh;
        CallSite site;  ///< of the last collective
    };

    /// Begins a block of `threads`; the draws of a seeded order follow `block`, the block's number.
    void begin(int threads, ThreadOrder order, std::uint64_t seed, Size block) {
        threads_.resize(static_cast<std::size_t>(threads));
        for (Thread& thread : threads_) {
            thread.state = ThreadState::fresh;
        }
        warp_count_ = threads / warp_size;
        warps_.fill({});
        block_ = {};
        at_cluster_barrier_ = false;
        const auto warps = static_cast<std::size_t>(warp_count_);
        const RandomKey key = {.seed = seed, .stream = 1};
        const auto first = static_cast<std::uint64_t>(block) * (warp_size + most_warps);
        arrange(std::span<int>(lane_order_), order, key, first);
        arrange(std::span<int>(warp_order_).first(warps), order, key, first + warp_size);
        warp_at_ = 0;
        lane_at_ = 0;
        ended_ = 0;
    }

    /// The thread that runs next, or -1 if none can.
    int next() {
        for (; warp_at_ < warp_count_; ++warp_at_, lane_at_ = 0) {
            const int first = warp_order_[static_cast<std::size_t>(warp_at_)] * warp_size;
            while (lane_at_ < warp_size) {
                const int thread = first + lane_order_[static_cast<std::size_t>(lane_at_++)];
                if (state(thread) == ThreadState::fresh || state(thread) == ThreadState::released) {
                    return thread;
                }
            }
        }
        return -1;
    }

    /// The thread waits at `site`; the last one to come releases all, except at a sync_cluster. Who
    /// comes to another site than the first one did is never counted, so nobody is released.
    void arrive(int thread, const CallSite& site) {
        threads_[static_cast<std::size_t>(thread)] = {ThreadState::waiting, site};
        if (site.word == Word::sync_block || site.word == Word::sync_cluster) {
            if (block_.count(site, threads())) {
                if (site.word == Word::sync_cluster) {
                    at_cluster_barrier_ = true;
                } else {
                    release_block();
                }
            }
        } else if (warps_[static_cast<std::size_t>(thread / warp_size)].count(site, warp_size)) {
            release(thread / warp_size * warp_size, warp_size);
        }
    }

    /// Whether all threads have come to one sync_cluster and wait for other blocks.
    bool at_cluster_barrier() const { return at_cluster_barrier_; }

    /// Lets all threads go on from where they have all come to.
    void release_block() {
        release(0, threads());
        warp_at_ = 0;
        at_cluster_barrier_ = false;
    }

    void end(int thread) {
        threads_[static_cast<std::size_t>(thread)].state = ThreadState::returned;
        ++ended_;
    }

    /// Whether every thread has returned.
    bool finished() const { return ended_ == threads(); }

    /// How often the warp of this thread has met; tells one meeting's values from the next one's.
    unsigned meetings(int thread) const { return warps_[static_cast<std::size_t>(thread / warp_size)].meetings; }

    int threads() const { return static_cast<int>(threads_.size()); }
    ThreadState state(int thread) const { return threads_[static_cast<std::size_t>(thread)].state; }
    const Thread& operator[](int thread) const { return threads_[static_cast<std::size_t>(thread)]; }

private:
    static constexpr int most_warps = 32;

    /// Threads that have come to one collective.
    struct Meeting {
        int arrived = 0;
        unsigned meetings = 0;
        CallSite site;

        /// Counts one more; true if it makes the meeting complete.
        bool count(const CallSite& where, int wanted) {
            if (arrived == 0) {
                site = where;
            } else if (!(site == where)) {
                return false;
            }
            if (++arrived < wanted) {
                return false;
            }
            arrived = 0;
            ++meetings;
            return true;
        }
    };

    void release(int first, int count) {
        for (int thread = first; thread < first + count; ++thread) {
            threads_[static_cast<std::size_t>(thread)].state = ThreadState::released;
        }
        lane_at_ = 0;
    }

    std::vector<Thread> threads_;
    std::array<Meeting, most_warps> warps_;
    Meeting block_;
    bool at_cluster_barrier_ = false;
    std::array<int, warp_size> lane_order_;
    std::array<int, most_warps> warp_order_;
    int warp_count_ = 0;
    int warp_at_ = 0;
    int lane_at_ = 0;
    int ended_ = 0;
};

}  // namespace snack::inline v0::simt
