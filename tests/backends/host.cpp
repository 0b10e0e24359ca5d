// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CPU backend.

#include <snack/backends/host.hpp>
#include <tests/conformance/suite.hpp>

SNACK_CONFORMANCE(snack::Host);
