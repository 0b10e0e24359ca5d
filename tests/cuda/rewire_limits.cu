// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewires and sparsities at the limits, on a device: the same outcome as on the host, and a typed error with
// the layer unchanged for rules that return what they must not.

#include <limits>

#include <snack/backends/coo_segmented.cuh>
#include <snack/backends/reference.hpp>
#include <tests/cuda/cases/failures.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>
#include <tests/support/throws.hpp>

using namespace tests;

namespace {

using HostSide = snack::SparseLinear<snack::Reference, float>;
using DeviceSide = snack::SparseLinear<snack::CooSegmented, float>;

/// Drops these entries, or grows these cells, whatever was asked for.
struct FixedRule {
    std::vector<Size> numbers;

    snack::DeviceBuffer<Size> on_device(snack::CudaContext& ctx) const {
        auto buffer = ctx.allocate<Size>(static_cast<Size>(numbers.size()));
        ctx.copy_from_host(std::span<const Size>(numbers), buffer.span());
        return buffer;
    }
    template <class T>
    snack::DeviceBuffer<Size> select(snack::CudaContext& ctx, const snack::CudaTopology&, DeviceSpan<const T>,
                                     Size) const {
        return on_device(ctx);
    }
    snack::DeviceBuffer<Size> select(snack::CudaContext& ctx, const snack::CudaTopology&, Size,
                                     const snack::RandomKey&) const {
        return on_device(ctx);
    }
};

/// Whether host and device do the same to a random pattern with these values, three times over.
bool rewire_alike(snack::CudaContext& ctx, Size out, Size in, Size nnz, double fraction,
                  const std::vector<float>& cycle) {
    snack::HostContext host_ctx({.threads = 1});
    std::vector<float> values(static_cast<std::size_t>(nnz));
    for (std::size_t e = 0; e < values.size(); ++e) {
        values[e] = cycle[e % cycle.size()];
    }
    const auto matrix = matrix_of(random_pattern("any", out, in, nnz), values);
    HostSide host(host_ctx, matrix, {}, {.seed = 9});
    DeviceSide device(ctx, matrix, {}, {.seed = 9});
    bool same = true;
    for (int rewire = 0; rewire < 3; ++rewire) {
        const auto want = host.rewire(host_ctx, snack::MagnitudePruner{fraction}, snack::UniformGrower{});
        const auto report = device.rewire(ctx, snack::MagnitudePruner{fraction}, snack::UniformGrower{});
        const auto device_values = on_host<float>(ctx, std::as_const(device).values());
        same = same && report.dropped() == want.dropped() && report.grown() == want.grown() &&
               snack::same_coordinates(*device.topology()->download(ctx), *host.topology()) &&
               conformance::same_bits(device_values, conformance::copy_of(std::as_const(host).values()));
    }
    return same;
}

}  // namespace

TEST_CASE("rewires at the limits do the same on host and device", "[gpu][rewire]") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float inf = std::numeric_limits<float>::infinity();
    struct Extents {
        Size out, in, nnz;
    };
    const Extents extents[] = {{2, 2, 3}, {2, 2, 4},     {2, 2, 0},     {10, 10, 10},        {1, 1, 1},
                               {0, 4, 0}, {3, 0, 0},     {1, 900, 450}, {900, 1, 450},       {4, 4, 12},
                               {3, 3, 8}, {20, 20, 397}, {50, 40, 0},   {65537, 65536, 700}, {50, 40, 2000}};
    const std::vector<std::vector<float>> cycles = {
        {1}, {1, -1, 0, -0.0f}, {nan, 1, inf, -inf, 0, 1e-45f, -2}, {3, 2, 1, 0.5f, -7}};
    snack::CudaContext ctx;
    for (const auto& [out, in, nnz] : extents) {
        for (const double fraction : {0.0, 0.1, 0.3, 0.5, 2.0 / 3, 1.0}) {
            for (std::size_t values = 0; values < cycles.size(); ++values) {
                CAPTURE(out, in, nnz, fraction, values);
                CHECK(rewire_alike(ctx, out, in, nnz, fraction, cycles[values]));
            }
        }
    }
}

TEST_CASE("rules that return what they must not leave a layer on the device unchanged", "[gpu][rewire]") {
    using snack::TopologyError;
    snack::CudaContext ctx;
    const Pattern pattern = pattern_of("three of four", 2, 2, [](Size row, Size column) { return row + column < 2; });
    DeviceSide layer(ctx, matrix_of<float>(pattern, {1, 2, 3}));
    const LayerState<float> before(ctx, layer);
    const auto version = layer.topology()->version();
    const snack::UniformGrower grower;
    const snack::MagnitudePruner one{1.0 / 3};

    for (const std::vector<Size>& drops :
         {std::vector<Size>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1}, {3}, {-1}, {4'294'967'296}}) {
        CHECK_THROWS_AS(layer.rewire(ctx, FixedRule{drops}, grower), TopologyError);
    }
    for (const std::vector<Size>& grows : {std::vector<Size>{}, {0}, {1}, {4}, {-1}, {3, 3}, {4'294'967'299}}) {
        CHECK_THROWS_AS(layer.rewire(ctx, one, FixedRule{grows}), TopologyError);
    }
    for (const double fraction : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_THROWS_AS(layer.rewire(ctx, snack::MagnitudePruner{fraction}, grower), snack::ArgumentError);
    }
    CHECK(LayerState<float>(ctx, layer) == before);
    CHECK(layer.topology()->version() == version);
    CHECK(layer.rewire_count() == 0);

    CHECK(layer.rewire(ctx, one, FixedRule{{3}}).grown() == 1);
    CHECK(on_host<float>(ctx, std::as_const(layer).values()) == std::vector<float>{2, 3, 0});
}

TEST_CASE("a sparsity gives the nearest count on the device, or a typed error", "[gpu]") {
    using snack::ArgumentError;
    snack::CudaContext ctx;
    const auto nnz = [&](Size features, double sparsity) {
        return DeviceSide(ctx, {.in_features = features, .out_features = features, .sparsity = sparsity}).nnz();
    };

    CHECK(nnz(10, 0.9) == 10);
    CHECK(nnz(100, 0.99) == 100);
    CHECK(nnz(100, 1) == 0);
    CHECK(nnz(512, 0) == 262144);
    for (const double sparsity :
         {std::numeric_limits<double>::quiet_NaN(), -0.1, 1.1, std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(nnz(10, sparsity), ArgumentError);
    }
}

TEST_CASE("calls with nothing to do leave no error on the device", "[gpu]") {
    snack::CudaContext ctx;
    auto memory = ctx.allocate<float>(100);
    struct Extents {
        Size out, in, nnz, batch;
    };
    for (const auto& [out, in, nnz, batch] : {Extents{3, 4, 0, 2}, {3, 4, 5, 0}, {0, 4, 0, 2}, {3, 0, 0, 2}}) {
        ctx.fill(memory.span(), std::numeric_limits<float>::quiet_NaN());
        DeviceSide layer(ctx, {.in_features = in, .out_features = out, .nnz = nnz});
        float* const at = memory.data();

        layer.forward(ctx, {at, batch, in}, {at + 20, batch, out});
        layer.backward(ctx, {at, batch, in}, {at + 20, batch, out}, {at + 40, batch, in});
        layer.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{});
        ctx.synchronize();

        CHECK(cudaGetLastError() == cudaSuccess);
        const auto results = on_host<float>(ctx, std::as_const(memory).span());
        for (std::size_t i = 20; i < 60; ++i) {
            const bool is_y = i < 20 + static_cast<std::size_t>(batch * out);
            const bool is_dx = i >= 40 && i < 40 + static_cast<std::size_t>(batch * in);
            CHECK((is_y || is_dx ? results[i] == 0 : std::isnan(results[i])));
        }
    }
}

TEST_CASE("a report is not applied to memory that its device does not reach", "[gpu][rewire]") {
    snack::CudaContext ctx;
    DeviceSide layer(ctx, {.in_features = 5, .out_features = 4, .sparsity = 0.5});
    const auto report = layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});
    std::vector<float> on_heap(10, 2);

    CHECK(text_of<snack::ArgumentError>([&] {
              report.apply_map(ctx, DeviceSpan<float>(on_heap.data(), on_heap.size()), 0);
          }) == "CudaRewireReport::apply_map: the array lies in host memory, the context takes memory of device 0");

    CHECK(on_heap == std::vector<float>(10, 2));
    CHECK_NOTHROW(ctx.synchronize());
}
