// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The segmented backend on a GPU.

#include <snack/backends/coo_segmented.cuh>
#include <tests/support/device_layer.cuh>

#include <tests/conformance/suite.hpp>
#include <tests/cuda/suite.cuh>

SNACK_CONFORMANCE(snack::CooSegmented);
SNACK_ON_A_DEVICE(snack::CooSegmented);
