// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A user's program for nvcc: exits with 0 if a layer on a GPU gives what it must.

#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <snack/snack.cuh>
#include <snack/snack.hpp>  // part of it: the two go together

int main() {
    const std::vector<int> rows = {1, 0};
    const std::vector<int> columns = {2, 0};
    const std::vector<float> values = {3, 2};
    const std::vector<float> x = {1, 10, 100};
    std::vector<float> y(2);
    try {
        snack::CudaContext ctx;
        const snack::CooMatrix<float> matrix(snack::CooView<float>{2, 3, rows, columns, values});
        const snack::SparseLinear<snack::CooSegmented, float> layer(ctx, matrix);
        auto in = ctx.allocate<float>(3);
        auto out = ctx.allocate<float>(2);
        ctx.copy_from_host(std::span<const float>(x), in.span());
        layer.forward(ctx, {in.data(), 1, 3}, {out.data(), 1, 2});
        ctx.copy_to_host(std::as_const(out).span(), std::span(y));
    } catch (const snack::Error& error) {
        std::puts(error.what());
        return 1;
    }
    return y == std::vector<float>{2, 300} ? 0 : 1;
}
