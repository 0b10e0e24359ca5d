// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Everything that runs on the host or on a GPU, for nvcc. Include single headers instead where compile
// time matters; each stands on its own.

#include <snack/backends/coo_atomic.cuh>
#include <snack/backends/coo_segmented.cuh>
#include <snack/dst/cuda_rewire.cuh>
#include <snack/init/cuda_initializers.cuh>
#include <snack/snack.hpp>
#include <snack/sparse/cuda_coo_matrix.cuh>
