// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tests that need a GPU. Without one the program says so and ends with status 77, which ctest reports
// as skipped; so does one whose tests were all skipped. The list of its tests can be had anywhere.

#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_runtime_api.h>

#define CATCH_CONFIG_RUNNER
#include <tests/cuda/skipping.hpp>

namespace {

constexpr int skipped_status = 77;

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

int run_tests = 0;

struct CountTests final : Listener {
    using Listener::Listener;
    void testCaseStarting(const Catch::TestCaseInfo&) override { ++run_tests; }
};

bool only_lists(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--list", 6) == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

CATCH_REGISTER_LISTENER(CountTests)

int main(int argc, char** argv) {
    int devices = 0;
    if (!only_lists(argc, argv) && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
        std::puts("no CUDA device");
        return skipped_status;
    }
    // Otherwise every synchronisation gives freed memory back, and the next allocation takes its time.
    cudaMemPool_t pool = nullptr;
    std::uint64_t all = ~std::uint64_t{0};
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) {
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    }
    const int failed = Catch::Session().run(argc, argv);
    if (tests::skipped_tests > 0) {
        std::printf("%d of %d tests were skipped\n", tests::skipped_tests, run_tests);
    }
    return failed == 0 && run_tests > 0 && tests::skipped_tests == run_tests ? skipped_status : failed;
}
