// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors of another library on a GPU: a layer computes on them where they lie, and its own arrays go out as tensors.

#include <memory>
#include <numeric>

#include <snack/backends/coo_segmented.cuh>
#include <snack/io/dlpack_export.hpp>
#include <snack/io/dlpack_import.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>
#include <tests/support/throws.hpp>

using namespace tests;

TEST_CASE("a layer computes on a tensor of its device where it lies", "[gpu][dlpack]") {
    namespace dlpack = snack::io::dlpack;
    snack::CudaContext ctx;
    std::vector<float> numbers(16);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    const auto pattern = pattern_of("full", 4, 4, [](Size, Size) { return true; });
    const snack::SparseLinear<snack::CooSegmented, float> layer(ctx, matrix_of(pattern, numbers));
    auto x = std::make_shared<snack::DeviceBuffer<float>>(ctx.allocate<float>(8));
    auto y = ctx.allocate<float>(8);
    auto wanted = ctx.allocate<float>(8);
    ctx.copy_from_host(std::span<const float>(numbers).first(8), x->span());
    const std::weak_ptr<snack::DeviceBuffer<float>> watch = x;
    const MatrixView<float, snack::CudaSpace> view(x->data(), 2, 4);
    layer.forward(ctx, view, {wanted.data(), 2, 4});

    {
        const dlpack::ImportedTensor tensor(dlpack::export_matrix(view, std::move(x), ctx.device()).release());
        const auto seen = tensor.matrix<const float, snack::CudaSpace>(Layout::row_major, ctx.device());
        CHECK(seen.data() == view.data());
        layer.forward(ctx, seen, {y.data(), 2, 4});
        CHECK_THROWS_AS((tensor.matrix<float, snack::CudaSpace>(Layout::row_major, ctx.device() + 1)),
                        snack::ArgumentError);
        CHECK_THROWS_AS(tensor.matrix<float>(), snack::ArgumentError);
        ctx.synchronize();
        CHECK_FALSE(watch.expired());
    }

    CHECK(watch.expired());
    CHECK(on_host<float>(ctx, std::as_const(y).span()) == on_host<float>(ctx, std::as_const(wanted).span()));
}

TEST_CASE("the values of a layer on a device go out as a tensor", "[gpu][dlpack]") {
    namespace dlpack = snack::io::dlpack;
    snack::CudaContext ctx;
    const auto pattern = pattern_of("full", 3, 2, [](Size, Size) { return true; });
    auto layer = std::make_shared<snack::SparseLinear<snack::CooSegmented, float>>(
        ctx, matrix_of(pattern, std::vector<float>{1, 2, 3, 4, 5, 6}));

    const dlpack::ImportedTensor tensor(dlpack::export_array(layer->values(), layer, ctx.device()).release());
    ctx.fill(tensor.array<float, snack::CudaSpace>(ctx.device()), 7.0f);

    CHECK(on_host<float>(ctx, std::as_const(*layer).values()) == std::vector<float>(6, 7.0f));
}
