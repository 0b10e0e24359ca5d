// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole test of a backend of one's own.

#include <examples/custom_backend/csr_loops.hpp>
#include <tests/conformance/suite.hpp>

SNACK_CONFORMANCE(csr_loops::Backend);
