// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's own backend on a GPU.

#include <snack/backends/gpu/coo_atomic.hpp>
#include <snack/memory/cuda_context.cuh>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

using CooAtomic = CooAtomicBackend<CudaContext>;

}  // namespace snack::inline v0
