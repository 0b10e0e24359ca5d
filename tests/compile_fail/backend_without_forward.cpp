// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One operation that is deleted: its concept and its call are named.
// expect: ComputesForward
// expect: forward<T>(ctx, plan, values, bias, x, y)

#include <snack/snack.hpp>

struct Incomplete : snack::Reference {
    template <snack::Scalar T>
    static void forward(snack::HostContext&) = delete;
};

using Layer = snack::SparseLinear<Incomplete, float>;
Layer* layer(snack::HostContext& ctx) {
    return new Layer(ctx, {.in_features = 2, .out_features = 2});
}
