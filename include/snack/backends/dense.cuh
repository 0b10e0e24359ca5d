// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's dense baseline on a GPU, by cuBLAS. snack.cuh leaves it out, because it allocates
// out_features x in_features; link cublas.

#include <snack/backends/dense/backend.hpp>
#include <snack/kernels/gpu/cublas.cuh>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

using CudaDense = DenseBackend<kernels::gpu::CublasGemm<kernels::gpu::Products::full>>;

/// Floats are multiplied on tensor cores, with a relative error of up to r = tf32_roundoff for each operand: that
/// of a sum y is up to (2 r + r^2) sum |w||x|, besides that of summing. The bias gradient and doubles are as in
/// CudaDense.
struct CudaDenseTf32 : DenseBackend<kernels::gpu::CublasGemm<kernels::gpu::Products::tf32>> {
    static constexpr const char* name = "DenseTf32";
};

}  // namespace snack::inline v0
