// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs the blocks of one cluster: each in turn until it has returned or waits at a sync_cluster, and
// again once all wait there. A launch without clusters has clusters of one block.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <snack/core/error.hpp>
#include <snack/simt/host_block.hpp>
#include <snack/simt/simt_error.hpp>
#include <snack/simt/thread_order.hpp>

namespace snack::inline v0::simt {

/// Blocks run as far apart as sync_cluster lets them, so a missing one shows as poison or in another
/// order. Shared memory that no other block may reach is closed to the address sanitizer, and without it
/// holds poison that must still be there later: before a block's first sync_cluster, and once it has returned.
class HostCluster {
public:
    /// Blocks refer to each other through this object, so it stays where it is.
    HostCluster() = default;
    HostCluster(const HostCluster&) = delete;
    HostCluster& operator=(const HostCluster&) = delete;

    /// Prepares for clusters of a launch.
    void begin_launch(const KernelCall& call, const LaunchShape& shape) {
        size_ = shape.cluster_x;
        clusters_x_ = shape.blocks_x / size_;
        while (blocks_.size() < static_cast<std::size_t>(size_)) {
            blocks_.push_back(std::make_unique<HostBlock>(blocks_));
        }
        for (int rank = 0; rank < size_; ++rank) {
            block(rank).begin_launch(call, shape);
        }
    }

    /// Runs the cluster at (cluster_x, block_y) from its first thread to its last.
    /// @throws SimtError if a thread breaks a rule; the cluster can run again after that
    void run(Size cluster_x, Size block_y, ThreadOrder order, std::uint64_t seed) {
        begin(cluster_x, block_y, order, seed);
        std::string error = first_round();
        while (error.empty() && !have_returned()) {
            error = pass_barrier();
            for (int i = 0; i < size_ && error.empty(); ++i) {
                error = advance(block(order_[static_cast<std::size_t>(i)]));
            }
        }
        for (int rank = 0; rank < size_ && error.empty(); ++rank) {
            error = check_memory(block(rank));
        }
        if (!error.empty()) {
            for (int rank = 0; rank < size_; ++rank) {
                block(rank).abandon();
            }
            snack::detail::raise<SimtError>(error);
        }
    }

private:
    HostBlock& block(int rank) const { return *blocks_[static_cast<std::size_t>(rank)]; }

    void begin(Size cluster_x, Size block_y, ThreadOrder order, std::uint64_t seed) {
        const auto number = static_cast<std::uint64_t>(block_y * clusters_x_ + cluster_x);
        arrange(std::span<int>(order_).first(static_cast<std::size_t>(size_)), order, {.seed = seed, .stream = 2},
                number * max_cluster_blocks);
        for (int rank = 0; rank < size_; ++rank) {
            block(rank).begin(cluster_x * size_ + rank, block_y, order, seed);
        }
    }

    /// Runs blocks none of which may touch another one's memory yet. Returns the error.
    std::string first_round() {
        if (size_ == 1) {
            return advance(block(0));
        }
        for (int rank = 0; rank < size_; ++rank) {
            block(rank).shared_memory().close();
        }
        for (int i = 0; i < size_; ++i) {
            HostBlock& next = block(order_[static_cast<std::size_t>(i)]);
            if (!next.shared_memory().untouched()) {
                return next.headline() + ": another block wrote to its shared memory before it began";
            }
            next.shared_memory().open();
            std::string error = advance(next);
            if (!error.empty()) {
                return error;
            }
            next.shared_memory().close();
        }
        return {};
    }

    /// Runs a block until it waits for the others or has returned. Returns the error.
    std::string advance(HostBlock& block) const {
        block.run_until_stuck();
        if (size_ > 1 && block.returned()) {
            block.shared_memory().poison();
            block.shared_memory().close();
        }
        return block.error();
    }

    bool have_returned() const {
        for (int rank = 0; rank < size_; ++rank) {
            if (!block(rank).returned()) {
                return false;
            }
        }
        return true;
    }

    /// Lets the blocks go on, from which they all may touch each other's memory; an error unless all
    /// wait at one place.
    std::string pass_barrier() {
        for (int rank = 0; rank < size_; ++rank) {
            if (block(rank).returned() || !(block(rank).cluster_barrier() == block(0).cluster_barrier())) {
                return block(0).headline() + " and its cluster cannot go on: " + places_of_blocks();
            }
        }
        for (int rank = 0; rank < size_; ++rank) {
            block(rank).shared_memory().open();
            block(rank).pass_cluster_barrier();
        }
        return {};
    }

    /// "rank 0 waits at sync_cluster (kernel.hpp:12); rank 1 has returned"
    std::string places_of_blocks() const {
        std::string text;
        for (int rank = 0; rank < size_; ++rank) {
            text += (rank > 0 ? "; rank " : "rank ") + std::to_string(rank);
            if (block(rank).returned()) {
                text += " has returned";
            } else {
                text += " waits at ";
                append(text, block(rank).cluster_barrier());
            }
        }
        return text;
    }

    /// The error in what the blocks have left of a block's memory.
    std::string check_memory(HostBlock& block) const {
        SharedMemory& memory = block.shared_memory();
        if (!memory.intact()) {
            return block.headline() + ": a thread wrote next to its " + std::to_string(memory.bytes()) +
                   " bytes of shared memory";
        }
        if (size_ > 1 && !memory.untouched()) {
            return block.headline() + ": another block wrote to its shared memory after it had returned";
        }
        return {};
    }

    int size_ = 1;
    Size clusters_x_ = 1;
    HostBlock::Cluster blocks_;
    std::array<int, max_cluster_blocks> order_ = {};
};

}  // namespace snack::inline v0::simt
