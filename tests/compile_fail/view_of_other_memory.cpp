// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory of another space cannot reach host code: the space is part of the view's type.
// expect: OtherSpace

#include <snack/snack.hpp>

struct OtherSpace {};

void forward(snack::HostContext& ctx, const snack::SparseLinear<snack::Host, float>& layer, float* data) {
    const snack::MatrixView<float, OtherSpace> x(data, 1, 1);
    layer.forward(ctx, x, snack::MatrixView<float>(data, 1, 1));
}
