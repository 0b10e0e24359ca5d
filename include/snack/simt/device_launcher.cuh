// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The one place where the library launches a kernel on a GPU.

#include <cuda_runtime.h>

#include <snack/simt/device_thread.cuh>
#include <snack/simt/launch_shape.hpp>

namespace snack::inline v0::simt {

// A functor of an unnamed namespace makes both functions local by itself, so the attribute below says
// nothing new there; nvcc would warn.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

/// What every kernel is on the device. Hidden, so that two shared objects of one process that hold
/// kernels of the same name each launch their own; not `static`, because `launch`, whose definition
/// must mean the same in every translation unit, refers to it.
template <KernelFunctor Kernel>
__global__ void __launch_bounds__(Kernel::block_threads) __attribute__((visibility("hidden")))
run_on_device(const __grid_constant__ Kernel kernel) {
    kernel(DeviceThread<Kernel::block_threads>());
}

/// Launches `kernel` on `stream` and returns the error of this very launch: an earlier error that
/// nobody has fetched yet stays where it is. Asynchronous; can be captured in a graph.
/// A shape with clusters needs a device of sm_90 or newer and code compiled for one: in older code each block
/// would take itself for a cluster, so it is not launched (cudaErrorInvalidKernelImage).
/// @throws ArgumentError for a shape that no device takes
template <KernelFunctor Kernel>
[[nodiscard]] __attribute__((visibility("hidden"))) cudaError_t launch(cudaStream_t stream, const LaunchShape& shape,
                                                                       const Kernel& kernel) {
    check(shape, Kernel::name);
    if (shape.empty()) {
        return cudaSuccess;
    }
    const auto entry = reinterpret_cast<const void*>(&run_on_device<Kernel>);
    constexpr Size granted_unasked = 48 * 1024;
    if (shape.shared_bytes > granted_unasked) {
        const cudaError_t error = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                       static_cast<int>(shape.shared_bytes));
        if (error != cudaSuccess) {
            return error;
        }
    }
    if (shape.cluster_x > 1) {
        cudaFuncAttributes attributes = {};
        const cudaError_t error = cudaFuncGetAttributes(&attributes, entry);
        if (error != cudaSuccess || attributes.ptxVersion < 90) {
            return error != cudaSuccess ? error : cudaErrorInvalidKernelImage;
        }
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks_x), static_cast<unsigned>(shape.blocks_y));
    config.blockDim = dim3(Kernel::block_threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = stream;
    cudaLaunchAttribute cluster = {};
    if (shape.cluster_x > 1) {
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster_x);
        cluster.val.clusterDim.y = 1;
        cluster.val.clusterDim.z = 1;
        config.attrs = &cluster;
        config.numAttrs = 1;
    }
    void* arguments[] = {const_cast<Kernel*>(&kernel)};
    return cudaLaunchKernelExC(&config, entry, arguments);
}

#pragma nv_diagnostic pop

}  // namespace snack::inline v0::simt
