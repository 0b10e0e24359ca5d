// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dense baselines on a GPU, by cuBLAS.

#include <snack/backends/dense_mask.cuh>
#include <tests/support/device_layer.cuh>

#include <tests/conformance/suite.hpp>
#include <tests/cuda/suite.cuh>

SNACK_CONFORMANCE(snack::CudaDense);
SNACK_CONFORMANCE(snack::CudaDenseMask);
SNACK_ON_A_DEVICE(snack::CudaDense);
SNACK_ON_A_DEVICE(snack::CudaDenseMask);
