// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The paper's backend on the host launcher, in three orders of threads.

#include <snack/backends/gpu/coo_atomic.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

using AtomicAscending = snack::CooAtomicBackend<tests::Ascending>;
using AtomicDescending = snack::CooAtomicBackend<tests::Descending>;
using AtomicSeeded = snack::CooAtomicBackend<tests::Seeded>;
SNACK_CONFORMANCE(AtomicAscending);
SNACK_CONFORMANCE(AtomicDescending);
SNACK_CONFORMANCE(AtomicSeeded);
