// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A number type the library does not know.
// expect: Scalar
// expect: ScalarTraits<T>

#include <snack/snack.hpp>

using Layer = snack::SparseLinear<snack::Host, int>;
Layer* layer(snack::HostContext& ctx) {
    return new Layer(ctx, {.in_features = 2, .out_features = 2});
}
