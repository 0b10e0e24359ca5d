// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What SparseLinear needs on a GPU besides a backend: initialisers, copies of layers and rewiring there.
// With one header of backends/ it is all that a unit of nvcc has to include.

#include <snack/dst/cuda_rewire.cuh>
#include <snack/init/cuda_initializers.cuh>
#include <snack/nn/sparse_linear.hpp>
