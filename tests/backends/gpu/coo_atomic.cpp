// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The paper's backend on the host launcher, in three orders of threads, or one in brief tests without AddressSanitizer.

#include <snack/backends/gpu/coo_atomic.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

using Atomic = snack::CooAtomicBackend<tests::OrderedContext>;
using AtomicSeeded = tests::Seeded<Atomic>;
SNACK_CONFORMANCE(AtomicSeeded);
#if !defined(SNACK_BRIEF_TESTS) || SNACK_ADDRESS_SANITIZER
using AtomicAscending = tests::Ascending<Atomic>;
using AtomicDescending = tests::Descending<Atomic>;
SNACK_CONFORMANCE(AtomicAscending);
SNACK_CONFORMANCE(AtomicDescending);
#endif
