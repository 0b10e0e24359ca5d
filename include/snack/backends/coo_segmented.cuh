// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The plain deterministic backend on a GPU.

#include <snack/backends/gpu/coo_segmented.hpp>
#include <snack/memory/cuda_context.cuh>
#include <snack/sparse/cuda_column_order.cuh>

namespace snack::inline v0 {

using CooSegmented = CooSegmentedBackend<CudaContext>;

}  // namespace snack::inline v0
