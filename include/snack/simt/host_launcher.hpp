// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs a grid on the calling thread of the host, for tests of kernels on a machine without a GPU.

#include <cstdint>
#include <memory>
#include <vector>

#include <snack/simt/host_cluster.hpp>
#include <snack/simt/host_thread.hpp>
#include <snack/simt/launch_shape.hpp>
#include <snack/simt/thread_order.hpp>

namespace snack::inline v0::simt {

/// Keeps fibers and shared memory from launch to launch. Movable; serves one thread at a time.
///
/// Finds by itself: collectives that not all threads reach, or reach on different lines; lanes and shared
/// offsets out of range; misaligned accesses by a word of the vocabulary; shared memory where a word reads
/// global memory alone; copies nobody waited for; exceptions; writes next to shared memory; blocks of a
/// cluster that do not all come to a sync_cluster, and writes to the shared memory of one that has not begun
/// or has returned; under AddressSanitizer, any access out of bounds or to that memory.
/// Finds where the results of several orders are compared: races that another order of whole
/// stretches between collectives shows. Between two sync_cluster calls the blocks of a cluster run one
/// after the other; what a block had in its shared memory is poison once it has returned.
/// Cannot find: divergence between two calls of one helper, whose collectives are on one line. A
/// kernel that spins, or whose blocks wait for each other but at sync_cluster, hangs.
class HostLauncher {
public:
    struct Options {
        ThreadOrder order = ThreadOrder::ascending;  ///< of threads, blocks and clusters
        std::uint64_t seed = 0;                      ///< of the seeded order
    };

    HostLauncher() : HostLauncher(Options{}) {}
    explicit HostLauncher(const Options& options) : options_(options), cluster_(std::make_unique<HostCluster>()) {}

    /// Runs all threads of the grid and returns.
    /// @throws ArgumentError for a shape that no device takes
    /// @throws SimtError if a thread breaks a rule; blocks that ran before have written their results
    template <KernelFunctor Kernel>
    void run(const LaunchShape& shape, const Kernel& kernel) {
        run_grid(shape,
                 {Kernel::name, Kernel::block_threads, &kernel, [](const void* self, HostBlock& block, int thread) {
                      (*static_cast<const Kernel*>(self))(HostThread<Kernel::block_threads>(block, thread));
                  }});
    }

private:
    void run_grid(const LaunchShape& shape, const KernelCall& call) {
        check(shape, call.name);
        if (shape.empty()) {
            return;
        }
        cluster_->begin_launch(call, shape);
        const Size clusters_x = shape.blocks_x / shape.cluster_x;
        clusters_.resize(static_cast<std::size_t>(clusters_x * shape.blocks_y));
        arrange(std::span(clusters_), options_.order, {.seed = options_.seed}, 0);
        for (const Size cluster : clusters_) {
            cluster_->run(cluster % clusters_x, cluster / clusters_x, options_.order, options_.seed);
        }
    }

    Options options_;
    std::unique_ptr<HostCluster> cluster_;
    std::vector<Size> clusters_;
};

}  // namespace snack::inline v0::simt
