// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A user's program of two translation units: exits with 0 if a layer gives what it must in both.

#include <vector>

#include <snack/snack.hpp>

std::vector<float> forward_in_second_unit(snack::HostContext& ctx, const snack::CooMatrix<float>& matrix,
                                          const std::vector<float>& x);

int main() {
    const std::vector<int> rows = {1, 0};
    const std::vector<int> columns = {2, 0};
    const std::vector<float> values = {3, 2};
    snack::HostContext ctx({.threads = 2});
    const snack::CooMatrix<float> matrix(snack::CooView<float>{2, 3, rows, columns, values});
    const snack::SparseLinear<snack::Host, float> layer(ctx, matrix);
    const std::vector<float> x = {1, 10, 100};
    std::vector<float> y(2);

    layer.forward(ctx, {x.data(), 1, 3}, {y.data(), 1, 2});

    const std::vector<float> want = {2, 300};
    return y == want && forward_in_second_unit(ctx, matrix, x) == want ? 0 : 1;
}
