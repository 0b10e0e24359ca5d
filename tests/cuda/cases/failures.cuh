// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Whatever allocation on the device fails, a typed error tells so, nothing leaks, and what was there before
// is unchanged and usable: a rewire that failed can be tried again and does what it would have done.

#include <optional>

#include <snack/nn/adam.hpp>
#include <tests/conformance/contract.hpp>
#include <tests/support/device_layer.cuh>

namespace tests {

/// Coordinates and parameters of a layer.
template <class T>
struct LayerState {
    snack::TopologyPtr topology;
    std::vector<T> values;
    std::vector<T> gradients;

    template <class B>
    LayerState(snack::CudaContext& ctx, const snack::SparseLinear<B, T>& layer)
        : topology(layer.topology()->download(ctx)),
          values(on_host<T>(ctx, layer.values())),
          gradients(on_host<T>(ctx, layer.gradients())) {}

    bool operator==(const LayerState& other) const {
        return snack::same_coordinates(*topology, *other.topology) && conformance::same_bits(values, other.values) &&
               conformance::same_bits(gradients, other.gradients);
    }
};

/// Runs call() with the next allocation failing, then the one after it, and so on until none fails; `unharmed`
/// is asked after each failure. Returns how many failed.
template <class Call, class Unharmed>
Size fail_each_allocation(CountingAllocator& accounts, const Call& call, const Unharmed& unharmed) {
    for (Size failures = 0;; ++failures) {
        accounts.calls = 0;
        accounts.fail_at_call = failures;
        const Size before = accounts.live_bytes;
        try {
            call();
            accounts.fail_at_call = -1;
            Staging::check(cudaDeviceSynchronize());
            return failures;
        } catch (const std::bad_alloc&) {
        }
        accounts.fail_at_call = -1;
        Staging::check(cudaDeviceSynchronize());
        REQUIRE(unharmed(before));
    }
}

template <class B, class T>
void each_failing_allocation_leaves_everything_as_it_was() {
    using Layer = snack::SparseLinear<B, T>;
    constexpr Size in = 60;
    constexpr Size out = 50;
    constexpr Size batch = 20;
    const snack::LayerOptions options{.in_features = in, .out_features = out, .sparsity = 0.8, .seed = 3};
    const snack::MagnitudePruner pruner{0.3};
    const snack::UniformGrower grower;
    CountingAllocator accounts;
    CountingCudaAllocator allocator(&accounts);
    {
        snack::CudaContext ctx({.allocator = &allocator});
        std::optional<Layer> layer;
        const auto nothing_leaked = [&](Size before) { return accounts.live_bytes == before; };
        // Scratch space of a context is kept, so a fresh one stands for each first call.
        const auto construct = [&] {
            snack::CudaContext mine({.allocator = &allocator});
            layer.emplace(mine, options);
        };
        CHECK(fail_each_allocation(accounts, construct, nothing_leaked) > 5);

        auto x = ctx.allocate<T>(batch * in);
        auto dy = ctx.allocate<T>(batch * out);
        auto dx = ctx.allocate<T>(batch * in);
        ctx.fill(x.span(), 1);
        ctx.fill(dy.span(), 2);
        ctx.fill(layer->gradients(), 7);
        ctx.synchronize();
        const LayerState<T> fresh(ctx, *layer);
        const auto nothing_written = [&](Size before) {
            return nothing_leaked(before) && LayerState<T>(ctx, *layer) == fresh;
        };
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
            const MatrixView<const T, CudaSpace> x_view(x.data(), batch, in, layout);
            const MatrixView<T, CudaSpace> dy_view(dy.data(), batch, out, layout);
            const auto forward = [&] {
                snack::CudaContext mine({.allocator = &allocator});
                layer->forward(mine, x_view, dy_view);
            };
            const auto backward = [&] {
                snack::CudaContext mine({.allocator = &allocator});
                layer->backward(mine, x_view, dy_view, {dx.data(), batch, in, layout}, snack::GradientMode::accumulate);
            };
            fail_each_allocation(accounts, forward, nothing_written);
            fail_each_allocation(accounts, backward, nothing_written);
            ctx.fill(layer->gradients(), 7);
            ctx.synchronize();
        }

        // A layer that nothing ever failed for, rewired alike.
        Layer calm = *layer;
        snack::Adam calm_adam(ctx, calm);
        std::optional<snack::Adam<T, CudaSpace>> adam;
        CHECK(fail_each_allocation(
                  accounts, [&] { adam.emplace(ctx, *layer); }, nothing_leaked) > 0);
        for (int step = 0; step < 3; ++step) {
            calm_adam.step(ctx, calm);
            adam->step(ctx, *layer);
            const auto report = calm.rewire(ctx, pruner, grower);
            calm_adam.remap(ctx, report);
            const LayerState<T> before_rewire(ctx, *layer);
            const auto version = layer->topology()->version();
            std::optional<snack::CudaRewireReport> tried;
            const auto not_rewired = [&](Size) {
                return LayerState<T>(ctx, *layer) == before_rewire && layer->topology()->version() == version &&
                       layer->plan().topology_version() == version;
            };
            CHECK(fail_each_allocation(
                      accounts, [&] { tried.emplace(layer->rewire(ctx, pruner, grower)); }, not_rewired) > 5);
            CHECK(LayerState<T>(ctx, *layer) == LayerState<T>(ctx, calm));

            const auto moments = on_host<T>(ctx, adam->first_moment());
            const auto not_remapped = [&](Size) {
                return conformance::same_bits(on_host<T>(ctx, adam->first_moment()), moments);
            };
            const auto remap = [&] {
                snack::CudaContext mine({.allocator = &allocator});
                adam->remap(mine, *tried);
            };
            CHECK(fail_each_allocation(accounts, remap, not_remapped) > 0);
            CHECK(conformance::same_bits(on_host<T>(ctx, adam->first_moment()),
                                         on_host<T>(ctx, calm_adam.first_moment())));
        }
    }
    CHECK(accounts.live_bytes == 0);
}

}  // namespace tests
