// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's dense baseline on the host. snack.hpp leaves it out, because it allocates
// out_features x in_features.

#include <snack/backends/dense/backend.hpp>
#include <snack/kernels/host/gemm.hpp>
#include <snack/kernels/host/isa.hpp>

namespace snack::inline v0 {

/// With OpenBLAS if SNACK_WITH_BLAS is defined, and otherwise with loops of our own, which take some
/// 1.5 times as long with wide vectors and 6 times without: compare times with OpenBLAS only.
using Dense = DenseBackend<kernels::host::Gemm<isa::Current>>;

}  // namespace snack::inline v0
