// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The oracle itself, against sums that share no code with it.

#include <snack/backends/reference.hpp>
#include <tests/conformance/suite.hpp>

SNACK_CONFORMANCE(snack::Reference);
