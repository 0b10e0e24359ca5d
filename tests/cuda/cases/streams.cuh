// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// All work of a call goes to the context's stream: none of it begins before what that stream was given
// earlier, and calls that need not wait do not.

#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/cuda/cases/gate.cuh>
#include <tests/cuda/cases/one_cell.cuh>
#include <tests/cuda/skipping.hpp>
#include <tests/support/activations.hpp>

namespace tests {

inline constexpr Size long_enough = 10'000;  ///< milliseconds; a call that waits for its stream fails its test
inline constexpr Size a_while = 200;         ///< milliseconds; for calls that are to wait

/// Puts a write behind a closed gate and then the call, which must return while the gate is closed.
template <class T, class Call>
void call_behind_a_held_write(snack::CudaContext& ctx, const T& news, DeviceSpan<T> operand, const Call& call) {
    Gate gate;
    gate.hold(ctx, long_enough);
    ctx.fill(operand, news);

    call();

    CHECK(is_busy(ctx));
    gate.open();
    ctx.synchronize();
}

template <class B, class T>
void forward_and_backward_follow_their_stream() {
    const LentStream stream;
    snack::CudaContext ctx({.stream = stream.get()});
    OneCell<B, T> at(ctx);
    at.layer.forward(ctx, at.x(), at.y());
    at.layer.backward(ctx, at.x(), at.dy(), at.dx());
    ctx.synchronize();

    call_behind_a_held_write<T>(ctx, 5, at.span(at.x()), [&] { at.layer.forward(ctx, at.x(), at.y()); });
    CHECK(at.value(ctx, at.y()) == 10);

    call_behind_a_held_write<T>(ctx, 7, at.span(at.x()), [&] { at.layer.backward(ctx, at.x(), at.dy(), at.dx()); });
    CHECK(on_host<T>(ctx, std::as_const(at.layer).gradients())[0] == 7);

    call_behind_a_held_write<T>(ctx, 3, at.span(at.dy()), [&] { at.layer.backward(ctx, at.x(), at.dy(), at.dx()); });
    CHECK(at.value(ctx, at.dx()) == 6);
}

/// What the others would see of a call that went elsewhere: the state before the held write.
template <class B, class T>
void another_stream_does_not_wait() {
    if (under_a_slow_tool()) {
        skip("the tool runs one kernel at a time");
        return;
    }
    snack::CudaContext ctx;
    snack::CudaContext other;
    OneCell<B, T> at(ctx);
    at.layer.forward(ctx, at.x(), at.y());
    at.layer.forward(other, at.x(), at.y());
    ctx.synchronize();
    other.synchronize();

    call_behind_a_held_write<T>(ctx, 5, at.span(at.x()), [&] {
        at.layer.forward(other, at.x(), at.y());
        other.synchronize();
        CHECK(at.value(other, at.y()) == 2);
    });

    at.layer.forward(ctx, at.x(), at.y());
    CHECK(at.value(ctx, at.y()) == 10);
}

template <class B, class T>
void an_upload_of_values_keeps_its_place() {
    const LentStream stream;
    snack::CudaContext ctx({.stream = stream.get()});
    OneCell<B, T> at(ctx);
    at.layer.forward(ctx, at.x(), at.y());
    at.layer.values_changed(ctx);
    ctx.synchronize();
    const T seven = 7;
    Gate gate;
    gate.hold(ctx, a_while);

    at.layer.forward(ctx, at.x(), at.y());
    ctx.copy_from_host(std::span<const T>(&seven, 1), at.layer.values());
    at.layer.values_changed(ctx);
    at.layer.forward(ctx, at.x(), at.dx());

    CHECK(at.value(ctx, at.y()) == 2);
    CHECK(at.value(ctx, at.dx()) == 7);
}

/// W = [1 5 .]: the smallest weight goes, and which that is, a held write decides.
template <class B, class T>
void a_rewire_follows_its_stream() {
    const LentStream stream;
    snack::CudaContext ctx({.stream = stream.get()});
    const Pattern pattern = pattern_of("two of three", 1, 3, [](Size, Size column) { return column < 2; });
    snack::SparseLinear<B, T> layer(ctx, matrix_of<T>(pattern, {1, 5}));
    auto warm = layer;
    warm.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{});
    auto swapped = ctx.allocate<T>(2);
    const T news[] = {5, 1};
    ctx.copy_from_host(std::span<const T>(news), swapped.span());
    Gate gate;
    gate.hold(ctx, a_while);
    ctx.copy(std::as_const(swapped).span(), layer.values());

    layer.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{});

    CHECK(on_host<Index>(ctx, layer.topology()->columns()) == std::vector<Index>{0, 2});
    CHECK(on_host<T>(ctx, std::as_const(layer).values()) == std::vector<T>{5, 0});
}

template <class B, class T>
void optimisers_follow_their_stream() {
    const LentStream stream;
    snack::CudaContext ctx({.stream = stream.get()});
    OneCell<B, T> at(ctx);
    snack::Sgd sgd(ctx, at.layer, {.learning_rate = 0.5, .momentum = 0.5});
    snack::Adam adam(ctx, at.layer, {.learning_rate = 0, .beta1 = 0.5});
    sgd.step(ctx, at.layer);
    adam.step(ctx, at.layer);
    ctx.synchronize();

    call_behind_a_held_write<T>(ctx, 4, at.layer.gradients(), [&] { sgd.step(ctx, at.layer); });
    CHECK(on_host<T>(ctx, std::as_const(at.layer).values())[0] == 0);

    call_behind_a_held_write<T>(ctx, 6, at.layer.gradients(), [&] { adam.step(ctx, at.layer); });
    CHECK(on_host<T>(ctx, adam.first_moment())[0] == 3);
}

}  // namespace tests
