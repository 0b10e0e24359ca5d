// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A context whose kernels run on the host, fiber by fiber: backends written for a GPU are tested
// with it where there is none. Slow by design; shapes in tests are small.

#include <cstdint>

#include <snack/memory/host_context.hpp>
#include <snack/simt/host_launcher.hpp>

namespace snack::inline v0::simt {

/// A HostContext that launches kernels, with the limits of a small device of architecture sm_90.
/// Every launch has ended when it returns.
class EmulatedContext : public HostContext {
public:
    struct Options {
        int threads = 0;                             ///< of parallel_for; kernels run on the caller's
        Allocator* allocator = nullptr;              ///< borrowed; null means operator new
        Executor* executor = nullptr;                ///< borrowed; null means a pool of the context's own
        ThreadOrder order = ThreadOrder::ascending;  ///< in which kernels run
        std::uint64_t seed = 0;                      ///< of the seeded order
    };

    EmulatedContext() : EmulatedContext(Options{}) {}

    /// @throws ArgumentError for a number of threads below 0 or above 4096
    explicit EmulatedContext(const Options& options)
        : HostContext({.threads = options.threads, .allocator = options.allocator, .executor = options.executor}),
          launcher_({.order = options.order, .seed = options.seed}) {}

    /// @throws ArgumentError for a shape that no device takes
    /// @throws SimtError if a thread breaks a rule of the vocabulary
    template <KernelFunctor Kernel>
    void launch(const Kernel& kernel, const LaunchShape& shape) {
        launcher_.run(shape, kernel);
    }

    int multiprocessors() const noexcept { return 2; }
    Size shared_bytes_per_block() const noexcept { return max_shared_bytes; }
    /// Whether blocks of a cluster reach each other's shared memory, and the most blocks of one.
    bool has_clusters() const noexcept { return true; }
    int most_cluster_blocks() const noexcept { return max_cluster_blocks; }

private:
    HostLauncher launcher_;
};

}  // namespace snack::inline v0::simt
