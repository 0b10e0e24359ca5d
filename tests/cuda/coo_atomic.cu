// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The paper's backend on a GPU.

#include <snack/backends/coo_atomic.cuh>
#include <tests/support/device_layer.cuh>

#include <tests/conformance/suite.hpp>
#include <tests/cuda/suite.cuh>

SNACK_CONFORMANCE(snack::CooAtomic);
SNACK_ON_A_DEVICE(snack::CooAtomic);
