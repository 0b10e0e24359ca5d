// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every backend on a GPU can take the place of another in training, as equivalence/stepwise.cpp has it for
// the host.

#include <tuple>

#include <snack/backends/coo_atomic.cuh>
#include <snack/backends/coo_segmented.cuh>
#include <snack/backends/cusparse.cuh>
#include <snack/backends/cusparse_forward.cuh>
#include <snack/backends/dense_mask.cuh>
#include <tests/support/device_layer.cuh>

#include <tests/equivalence/follower.hpp>

namespace {

/// The backends that are tried: a new one is a type more.
using Backends = std::tuple<snack::CooAtomic, snack::CooSegmented, snack::CuSparse, snack::CuSparseForward,
                            snack::CudaDense, snack::CudaDenseMask>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("each backend on a GPU agrees with the oracle at every step of training", "[gpu][equivalence]",
                        Backends) {
    tests::equivalence::follow_training<TestType, float>();
    tests::equivalence::follow_training<TestType, double>();
}
