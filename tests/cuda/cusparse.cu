// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuSPARSE over both formats, and its SpMM with the library's own gradients.

#include <snack/backends/cusparse.cuh>
#include <snack/backends/cusparse_forward.cuh>
#include <tests/support/device_layer.cuh>

#include <tests/conformance/suite.hpp>
#include <tests/cuda/suite.cuh>

using CuSparseCoo = snack::CuSparseBackend<snack::CuSparseAlgorithm::coo_default>;
SNACK_CONFORMANCE(snack::CuSparse);
SNACK_CONFORMANCE(CuSparseCoo);
SNACK_CONFORMANCE(snack::CuSparseForward);
SNACK_ON_A_DEVICE(snack::CuSparse);
SNACK_ON_A_DEVICE(CuSparseCoo);
SNACK_ON_A_DEVICE(snack::CuSparseForward);
