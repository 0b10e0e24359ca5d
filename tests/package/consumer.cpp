// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A user's program: exits with 0 if a layer gives what it must.

#include <vector>

#include <snack/snack.hpp>

int main() {
    const std::vector<int> rows = {1, 0};
    const std::vector<int> columns = {2, 0};
    const std::vector<float> values = {3, 2};
    snack::HostContext ctx({.threads = 1});
    const snack::CooMatrix<float> matrix(snack::CooView<float>{2, 3, rows, columns, values});
    const snack::SparseLinear<snack::Host, float> layer(ctx, matrix);
    const std::vector<float> x = {1, 10, 100};
    std::vector<float> y(2);

    layer.forward(ctx, {x.data(), 1, 3}, {y.data(), 1, 2});

    return y == std::vector<float>{2, 300} ? 0 : 1;
}
