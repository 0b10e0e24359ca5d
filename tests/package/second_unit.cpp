// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The other unit of consumer.cpp: what the library defines in both must be one thing to the linker.

#include <vector>

#include <snack/snack.hpp>

std::vector<float> forward_in_second_unit(snack::HostContext& ctx, const snack::CooMatrix<float>& matrix,
                                          const std::vector<float>& x);

std::vector<float> forward_in_second_unit(snack::HostContext& ctx, const snack::CooMatrix<float>& matrix,
                                          const std::vector<float>& x) {
    const snack::SparseLinear<snack::Host, float> layer(ctx, matrix);
    std::vector<float> y(static_cast<std::size_t>(layer.out_features()));
    layer.forward(ctx, {x.data(), 1, layer.in_features()}, {y.data(), 1, layer.out_features()});
    return y;
}
