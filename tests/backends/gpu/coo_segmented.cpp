// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The segmented backend on the host launcher, in three orders of threads.

#include <snack/backends/gpu/coo_segmented.hpp>
#include <tests/backends/gpu/emulated.hpp>
#include <tests/conformance/suite.hpp>

using SegmentedAscending = snack::CooSegmentedBackend<tests::Ascending>;
using SegmentedDescending = snack::CooSegmentedBackend<tests::Descending>;
using SegmentedSeeded = snack::CooSegmentedBackend<tests::Seeded>;
SNACK_CONFORMANCE(SegmentedAscending);
SNACK_CONFORMANCE(SegmentedDescending);
SNACK_CONFORMANCE(SegmentedSeeded);
