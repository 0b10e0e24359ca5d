// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Same key, same network: topology and values have the same bits on host and device, when made and through
// rewires; and a layer that goes from one to the other and back is the same.

#include <optional>

#include <snack/backends/host.hpp>
#include <snack/snack.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>

using namespace tests;

namespace {

template <class T>
using HostLayer = snack::SparseLinear<snack::Host, T>;
template <class T>
using CudaLayer = snack::SparseLinear<snack::CooSegmented, T>;

template <class T>
bool same_bits(const std::vector<T>& a, std::span<const T> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Whether both hold the same coordinates, values and gradients.
template <class T>
bool same_layer(snack::CudaContext& ctx, const CudaLayer<T>& device, const HostLayer<T>& host) {
    return snack::same_coordinates(*device.topology()->download(ctx), *host.topology()) &&
           same_bits(on_host(ctx, device.values()), host.values()) &&
           same_bits(on_host(ctx, device.gradients()), host.gradients());
}

}  // namespace

TEMPLATE_TEST_CASE("host and device make and rewire the same network", "[gpu]", float, double) {
    using T = TestType;
    snack::HostContext host_ctx({.threads = 1});
    snack::CudaContext ctx;
    for (const double sparsity : {0.0, 0.1, 0.6, 0.95}) {
        const snack::LayerOptions options{
            .in_features = 210, .out_features = 170, .sparsity = sparsity, .seed = 3, .stream = 2};
        HostLayer<T> host(host_ctx, options, snack::KaimingNormal{});
        CudaLayer<T> device(ctx, options, snack::KaimingNormal{});
        REQUIRE(same_layer<T>(ctx, device, host));
        for (std::uint32_t step = 0; step < 50; ++step) {
            for (Size e = 0; e < host.nnz(); ++e) {
                host.values()[static_cast<std::size_t>(e)] = static_cast<T>(number(Data::random, step, e));
            }
            ctx.copy_from_host(std::as_const(host).values(), device.values());

            const auto on_device = device.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});
            const auto report = host.rewire(host_ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});

            REQUIRE(same_layer<T>(ctx, device, host));
            REQUIRE(on_device.dropped() == report.dropped());
            REQUIRE(same_bits(on_host(ctx, on_device.new_to_old()), report.new_to_old()));
            REQUIRE(same_bits(on_host(ctx, on_device.old_to_new()), report.old_to_new()));
        }
    }
}

TEST_CASE("a layer goes to the device and back unchanged", "[gpu]") {
    snack::HostContext host_ctx({.threads = 1});
    snack::CudaContext ctx;
    const HostLayer<float> host(host_ctx, {.in_features = 50, .out_features = 40, .sparsity = 0.9});

    const CudaLayer<float> device(ctx, host_ctx, host);
    const CudaLayer<float> second(ctx, ctx, device);
    const HostLayer<float> back(host_ctx, ctx, second);

    CHECK(same_layer<float>(ctx, second, host));
    CHECK(second.topology() == device.topology());
    CHECK(snack::same_coordinates(*back.topology(), *host.topology()));
}

TEMPLATE_TEST_CASE("optimisers on the device agree with the host's and follow a rewire", "[gpu]", float, double) {
    using T = TestType;
    snack::HostContext host_ctx({.threads = 1});
    snack::CudaContext ctx;
    HostLayer<T> host(host_ctx, {.in_features = 90, .out_features = 80, .sparsity = 0.8});
    CudaLayer<T> device(ctx, host_ctx, host);
    snack::Adam host_adam(host_ctx, host);
    snack::Adam adam(ctx, device);
    for (std::uint32_t step = 0; step < 5; ++step) {
        for (Size e = 0; e < host.nnz(); ++e) {
            host.gradients()[static_cast<std::size_t>(e)] = static_cast<T>(number(Data::random, step, e));
        }
        ctx.copy_from_host(std::as_const(host).gradients(), device.gradients());
        host_adam.step(host_ctx, host);
        adam.step(ctx, device);
        // From here on with equal bits: both must choose the same connections.
        ctx.copy_from_host(std::as_const(host).values(), device.values());
        host_adam.remap(host_ctx, host.rewire(host_ctx, snack::MagnitudePruner{0.2}, snack::UniformGrower{}));
        adam.remap(ctx, device.rewire(ctx, snack::MagnitudePruner{0.2}, snack::UniformGrower{}));
    }

    const auto moments = on_host<T>(ctx, adam.first_moment());
    for (std::size_t e = 0; e < moments.size(); ++e) {
        REQUIRE(std::fabs(moments[e] - host_adam.first_moment()[e]) <=
                8 * static_cast<T>(snack::ScalarTraits<T>::unit_roundoff));
    }
}

TEST_CASE("a layer copied to another stream has memory of its own there", "[gpu]") {
    snack::HostContext host_ctx({.threads = 1});
    const HostLayer<float> host(host_ctx, {.in_features = 50, .out_features = 40, .sparsity = 0.9});
    snack::CudaContext to;
    std::optional<CudaLayer<float>> copy;
    {
        snack::CudaContext from;
        CudaLayer<float> source(from, host_ctx, host);
        copy.emplace(to, from, source);
        CHECK(copy->topology() != source.topology());
        from.fill(source.values(), 7);  // comes after the copy
    }

    CHECK(same_layer<float>(to, *copy, host));
}
