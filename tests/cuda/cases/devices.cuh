// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A layer on one device while another is the caller's current one: right answers, the current device stays
// what it was, and memory of the other device is refused. Needs two GPUs.

#include <optional>
#include <utility>
#include <vector>

#include <tests/cuda/cases/errors.cuh>
#include <tests/cuda/skipping.hpp>

namespace tests {

template <class B, class T>
void a_layer_works_on_a_device_that_is_not_the_current_one() {
    int devices = 0;
    Staging::check(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        skip("one GPU only");
        return;
    }
    Staging::check(cudaSetDevice(0));
    snack::CudaContext here;
    snack::CudaContext ctx({.device = 1});
    OneCell<B, T> near(here);
    std::optional<OneCell<B, T>> far(ctx);
    const auto stays = [](auto&& call) {
        call();
        CHECK(current_device() == 0);
    };

    stays([&] { far->layer.forward(ctx, far->x(), far->y()); });
    stays([&] { far->layer.backward(ctx, far->x(), far->dy(), far->dx()); });
    CHECK(far->value(ctx, far->y()) == 2);
    CHECK(far->value(ctx, far->dx()) == 2);
    CHECK(on_host<T>(ctx, std::as_const(far->layer).gradients())[0] == 1);
    cudaPointerAttributes at{};
    Staging::check(cudaPointerGetAttributes(&at, far->layer.values().data()));
    CHECK(at.device == 1);

    const auto foreign = [](const char* operand, char came, char wanted) {
        return std::string("SparseLinear::forward: ") + operand + " lies in memory of device " + came +
               ", the context takes memory of device " + wanted;
    };
    CHECK(text_of<snack::ArgumentError>([&] { far->layer.forward(ctx, near.x(), far->y()); }) ==
          foreign("x", '0', '1'));
    CHECK(text_of<snack::ArgumentError>([&] { near.layer.forward(here, near.x(), far->y()); }) ==
          foreign("y", '1', '0'));
    CHECK(text_of<snack::ArgumentError>([&] { far->layer.forward(here, near.x(), near.y()); }) ==
          foreign("the layer", '1', '0'));
    CHECK_THROWS_AS(far->layer.rewire(here, snack::MagnitudePruner{}, snack::UniformGrower{}), snack::ArgumentError);
    CHECK(current_device() == 0);

    snack::SparseLinear<B, T> moved(here, ctx, far->layer);
    moved.forward(here, near.x(), near.y());
    CHECK(near.value(here, near.y()) == 2);
    std::vector<T> numbers(100'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<T>(i % 1000);
    }
    auto first = ctx.template allocate<T>(static_cast<Size>(numbers.size()));
    auto second = here.template allocate<T>(first.size());
    ctx.template copy_from_host<T>(numbers, first.span());
    here.template copy<T>(std::as_const(first).span(), second.span());
    here.synchronize();
    ctx.fill(first.span(), 0);
    ctx.template copy<T>(std::as_const(second).span(), first.span());
    CHECK(on_host<T>(ctx, std::as_const(first).span()) == numbers);
    stays([&] {
        snack::SparseLinear<B, T> large(ctx, {.in_features = 60, .out_features = 50, .sparsity = 0.8});
        CHECK(large.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{}).dropped() == 180);
        ctx.synchronize();
    });
    stays([&] { far.reset(); });
}

}  // namespace tests
