// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The segmented backend on the host launcher, in three orders of threads, or one in brief tests without
// AddressSanitizer.

#define SNACK_CONFORMANCE_SCALARS float, double
#include <snack/backends/gpu/coo_segmented.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

using SegmentedSeeded = snack::CooSegmentedBackend<tests::Seeded>;
SNACK_CONFORMANCE(SegmentedSeeded);
#if !defined(SNACK_BRIEF_TESTS) || defined(__SANITIZE_ADDRESS__)
using SegmentedAscending = snack::CooSegmentedBackend<tests::Ascending>;
using SegmentedDescending = snack::CooSegmentedBackend<tests::Descending>;
SNACK_CONFORMANCE(SegmentedAscending);
SNACK_CONFORMANCE(SegmentedDescending);
#endif
