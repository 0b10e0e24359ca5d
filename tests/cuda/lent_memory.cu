// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays that overlap: copies within a device take them, as on the host, and a layer refuses to keep two of
// its arrays in the same memory.

#include <chrono>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <snack/backends/coo_segmented.cuh>
#include <tests/cuda/cases/gate.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>
#include <tests/support/throws.hpp>

using namespace tests;

namespace {

using CudaLayer = snack::SparseLinear<snack::CooSegmented, float>;

/// A full 4 x 4 layer with the values 0 to 15 and no bias.
CudaLayer counting_layer(snack::CudaContext& ctx) {
    std::vector<float> values(16);
    std::iota(values.begin(), values.end(), 0.0f);
    return CudaLayer(ctx, matrix_of(pattern_of("full", 4, 4, [](Size, Size) { return true; }), values));
}

}  // namespace

TEST_CASE("arrays on a device may overlap when one is copied to the other", "[gpu]") {
    constexpr std::size_t size = 100'000;
    snack::CudaContext ctx;
    std::vector<int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    auto array = ctx.allocate<int>(size);
    const DeviceSpan<int> all = array.span();
    for (const std::size_t shift : {1, 3, 50'000, 99'999, 0}) {
        for (const bool up : {true, false}) {
            const std::size_t from = up ? 0 : shift;
            const std::size_t to = up ? shift : 0;
            const std::size_t count = size - shift;
            ctx.copy_from_host(std::span<const int>(numbers), all);

            ctx.copy(DeviceSpan<const int>(all.subspan(from, count)), all.subspan(to, count));

            std::vector<int> want = numbers;
            std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(from), count,
                        want.begin() + static_cast<std::ptrdiff_t>(to));
            CHECK(on_host<int>(ctx, all) == want);
        }
    }
}

TEST_CASE("a layer keeps no two arrays in the same device memory", "[gpu]") {
    snack::CudaContext ctx;
    CudaLayer layer = counting_layer(ctx);
    auto buffer = ctx.allocate<float>(40);
    ctx.fill(buffer.span(), -1);
    const DeviceSpan<float> all = buffer.span();

    CHECK(text_of<snack::ShapeError>([&] {
              layer.bind(ctx, {.values = all.first(16), .gradients = all.subspan(15, 16)});
          }) == "SparseLinear::bind: values overlaps gradients");
    CHECK_THROWS_AS(layer.bind(ctx, {.values = all.first(16), .gradients = all.first(16)}), snack::ShapeError);
    CHECK_THROWS_AS(layer.bind(ctx, {.values = layer.gradients()}), snack::ShapeError);
    CHECK_THROWS_AS(layer.bind(ctx, {.gradients = layer.values()}), snack::ShapeError);
    CHECK_THROWS_AS(layer.bind(ctx, {.values = all.first(15)}), snack::ShapeError);
    CHECK(on_host<float>(ctx, all) == std::vector<float>(40, -1));
}

TEST_CASE("lent device memory can be lent again a little further on", "[gpu]") {
    snack::CudaContext ctx;
    CudaLayer layer = counting_layer(ctx);
    const auto values = on_host<float>(ctx, std::as_const(layer).values());
    auto buffer = ctx.allocate<float>(40);
    const DeviceSpan<float> all = buffer.span();
    for (const std::size_t at : {0, 3, 1, 1, 20}) {
        layer.bind(ctx, {.values = all.subspan(at, 16)});

        CHECK(layer.values().data() == all.data() + at);
        CHECK(on_host<float>(ctx, std::as_const(layer).values()) == values);
    }
    layer.bind(ctx, {.values = layer.values(), .gradients = all.first(16)});
    CHECK(on_host<float>(ctx, std::as_const(layer).values()) == values);
    CHECK(on_host<float>(ctx, std::as_const(layer).gradients()) == std::vector<float>(16, 0));
}

TEST_CASE("what a layer had of its own is read on another stream before it is used again", "[gpu]") {
    snack::CudaContext ctx, other;
    CudaLayer layer = counting_layer(ctx);
    const auto values = on_host<float>(ctx, std::as_const(layer).values());
    auto lent = other.allocate<float>(16);
    other.synchronize();
    Gate gate;
    gate.hold(other, 10'000);

    layer.bind(other, {.values = lent.span()});

    std::vector<snack::DeviceBuffer<float>> others;  // one of them, as a rule, where the values were
    for (int i = 0; i < 100; ++i) {
        others.push_back(ctx.allocate<float>(16));
        ctx.fill(others.back().span(), -1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // for what nothing holds back
    gate.open();
    CHECK(on_host<float>(other, std::as_const(layer).values()) == values);
}
