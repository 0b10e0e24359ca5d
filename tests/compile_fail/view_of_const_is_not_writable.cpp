// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An output must be writable memory.
// expect: MatrixView

#include <snack/snack.hpp>

void forward(snack::HostContext& ctx, const snack::SparseLinear<snack::Host, float>& layer, const float* data) {
    layer.forward(ctx, {data, 1, 1}, snack::MatrixView<const float>(data, 1, 1));
}
