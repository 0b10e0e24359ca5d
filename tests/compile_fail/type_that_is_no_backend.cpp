// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A type that is no backend at all.
// expect: NamedBackend
// expect: B::name

#include <snack/snack.hpp>

struct Nothing {};

using Layer = snack::SparseLinear<Nothing, float>;
Layer* layer(snack::HostContext& ctx) {
    return new Layer(ctx, {.in_features = 2, .out_features = 2});
}
