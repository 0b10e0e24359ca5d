// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rules in the wrong order.
// expect: the first rule is not a Pruner
// expect: the second rule is not a Grower

#include <snack/snack.hpp>

void rewire(snack::HostContext& ctx, snack::SparseLinear<snack::Host, float>& layer) {
    layer.rewire(ctx, snack::UniformGrower{}, snack::MagnitudePruner{});
}
