// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's Dense+Mask baseline on the host. snack.hpp leaves it out, because it allocates
// out_features x in_features several times over.

#include <snack/backends/dense/mask_backend.hpp>
#include <snack/kernels/host/gemm.hpp>
#include <snack/kernels/host/isa.hpp>

namespace snack::inline v0 {

/// With OpenBLAS if SNACK_WITH_BLAS is defined; see `Dense`.
using DenseMask = DenseMaskBackend<kernels::host::Gemm<isa::Current>>;

}  // namespace snack::inline v0
