// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs a grid on the calling thread of the host, for tests of kernels on a machine without a GPU.

#include <cstdint>
#include <memory>
#include <vector>

#include <snack/simt/host_block.hpp>
#include <snack/simt/host_thread.hpp>
#include <snack/simt/launch_shape.hpp>
#include <snack/simt/thread_order.hpp>

namespace snack::inline v0::simt {

/// Keeps fibers and shared memory from launch to launch. Movable; serves one thread at a time.
///
/// Finds by itself: collectives that not all threads reach, or reach on different lines; lanes and
/// shared offsets out of range; misaligned accesses; copies nobody waited for; writes next to shared
/// memory; under AddressSanitizer, any access out of bounds.
/// Finds where the results of several orders are compared: races that another order of whole
/// stretches between collectives shows.
/// Cannot find: divergence between two calls of one helper, whose collectives are on one line. A
/// kernel whose blocks wait for each other, or that spins, hangs: blocks run one after the other.
class HostLauncher {
public:
    struct Options {
        ThreadOrder order = ThreadOrder::ascending;  ///< of the threads of a block and of the blocks
        std::uint64_t seed = 0;                      ///< of the seeded order
    };

    HostLauncher() : HostLauncher(Options{}) {}
    explicit HostLauncher(const Options& options) : options_(options), block_(std::make_unique<HostBlock>()) {}

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
        block_->begin_launch(call, shape);
        blocks_.resize(static_cast<std::size_t>(shape.blocks_x * shape.blocks_y));
        arrange(std::span(blocks_), options_.order, {.seed = options_.seed}, 0);
        for (const Size block : blocks_) {
            block_->run(block % shape.blocks_x, block / shape.blocks_x, options_.order, options_.seed);
        }
    }

    Options options_;
    std::unique_ptr<HostBlock> block_;
    std::vector<Size> blocks_;
};

}  // namespace snack::inline v0::simt
