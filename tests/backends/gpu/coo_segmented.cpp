// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The segmented backend on the host launcher, in three orders of threads, or one in brief tests without
// AddressSanitizer.

#define SNACK_CONFORMANCE_SCALARS float, double
#include <snack/backends/gpu/coo_segmented.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

using Segmented = snack::CooSegmentedBackend<tests::OrderedContext>;
using SegmentedSeeded = tests::Seeded<Segmented>;
SNACK_CONFORMANCE(SegmentedSeeded);
#if !defined(SNACK_BRIEF_TESTS) || SNACK_ADDRESS_SANITIZER
using SegmentedAscending = tests::Ascending<Segmented>;
using SegmentedDescending = tests::Descending<Segmented>;
SNACK_CONFORMANCE(SegmentedAscending);
SNACK_CONFORMANCE(SegmentedDescending);
#endif
