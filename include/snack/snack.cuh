// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if !defined(__CUDACC__)
#error "snack.cuh is for nvcc; other compilers include snack/snack.hpp"
#endif

// Everything that runs on the host or on a GPU, for nvcc. Where compile time matters, include
// nn/sparse_linear.cuh and the header of a backend instead; each stands on its own.

#include <snack/backends/coo_atomic.cuh>
#include <snack/backends/coo_segmented.cuh>
#include <snack/nn/sparse_linear.cuh>
#include <snack/snack.hpp>
#include <snack/sparse/cuda_coo_matrix.cuh>
