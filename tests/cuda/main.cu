// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tests that need a GPU. Without one the program says so and ends with status 77, which ctest reports
// as skipped; the list of its tests can be had anywhere.

#include <cstdio>
#include <cstring>

#include <cuda_runtime_api.h>

#define CATCH_CONFIG_RUNNER
#include <tests/support/catch.hpp>

namespace {

bool only_lists(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--list", 6) == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    int devices = 0;
    if (!only_lists(argc, argv) && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
        std::puts("no CUDA device");
        return 77;
    }
    // Otherwise every synchronisation gives freed memory back, and the next allocation takes its time.
    cudaMemPool_t pool = nullptr;
    std::uint64_t all = ~std::uint64_t{0};
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) {
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    }
    return Catch::Session().run(argc, argv);
}
