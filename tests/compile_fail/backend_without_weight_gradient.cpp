// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A backend that lacks one operation: the compiler names the requirement, not the whole concept.
// expect: ComputesWeightGradient
// expect: weight_gradient<T>(ctx, plan, x, dy, dw, beta)

#include <snack/snack.hpp>

struct Incomplete : snack::Reference {
    template <snack::Scalar T>
    static void weight_gradient(snack::HostContext&) = delete;
};

using Layer = snack::SparseLinear<Incomplete, float>;
Layer* layer(snack::HostContext& ctx) {
    return new Layer(ctx, {.in_features = 2, .out_features = 2});
}
