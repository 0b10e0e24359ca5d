// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The paper's backend on the host launcher, in three orders of threads, or one in brief tests without AddressSanitizer.

#include <snack/backends/gpu/coo_atomic.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

using AtomicSeeded = snack::CooAtomicBackend<tests::Seeded>;
SNACK_CONFORMANCE(AtomicSeeded);
#if !defined(SNACK_BRIEF_TESTS) || defined(__SANITIZE_ADDRESS__)
using AtomicAscending = snack::CooAtomicBackend<tests::Ascending>;
using AtomicDescending = snack::CooAtomicBackend<tests::Descending>;
SNACK_CONFORMANCE(AtomicAscending);
SNACK_CONFORMANCE(AtomicDescending);
#endif
