// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An object that cannot be asked for a weight.
// expect: ValueInitializer
// expect: initializer(key, connection)

#include <snack/snack.hpp>

struct Nothing {};

using Layer = snack::SparseLinear<snack::Host, float>;
Layer* layer(snack::HostContext& ctx) {
    return new Layer(ctx, {.in_features = 2, .out_features = 2}, Nothing{});
}
