// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's Dense+Mask baseline on a GPU, by cuBLAS. snack.cuh leaves it out, because it allocates
// out_features x in_features several times over; link cublas.

#include <snack/backends/dense.cuh>
#include <snack/backends/dense/mask_backend.hpp>

namespace snack::inline v0 {

using CudaDenseMask = DenseMaskBackend<kernels::gpu::CublasGemm<kernels::gpu::Products::full>>;

struct CudaDenseMaskTf32 : DenseMaskBackend<kernels::gpu::CublasGemm<kernels::gpu::Products::tf32>> {
    static constexpr const char* name = "DenseMaskTf32";
};

}  // namespace snack::inline v0
