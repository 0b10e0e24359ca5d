// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Errors are told by the call they belong to: one of somebody else is neither reported nor lost, and ours
// does not surface in the next caller. Memory that the device does not reach is refused before anything runs.

#include <cstdlib>
#include <functional>
#include <memory>

#include <tests/cuda/cases/one_cell.cuh>
#include <tests/support/throws.hpp>

namespace tests {

/// Leaves an error for whoever asks next.
inline void leave_an_error() {
    cudaSetDevice(9999);
}
inline bool error_was_left() {
    return cudaGetLastError() == cudaErrorInvalidDevice;
}

inline int current_device() {
    int device = -1;
    Staging::check(cudaGetDevice(&device));
    return device;
}

template <class B, class T>
void an_error_of_somebody_else_stays_theirs() {
    snack::CudaContext ctx;
    OneCell<B, T> at(ctx);
    const std::vector<std::function<void()>> calls = {
        [&] { at.layer.forward(ctx, at.x(), at.y()); },
        [&] { at.layer.backward(ctx, at.x(), at.dy(), at.dx()); },
        [&] { at.layer.backward(ctx, at.x(), at.dy()); },
        [&] { at.layer.values_changed(ctx); },
        [&] { ctx.synchronize(); },
        [&] {
            CHECK_THROWS_AS(at.layer.forward(ctx, {at.x().data(), 0, 2}, at.y()), snack::ShapeError);
        },
    };
    for (const auto& call : calls) {
        leave_an_error();
        CHECK_NOTHROW(call());
        CHECK(error_was_left());
        CHECK_NOTHROW(call());
        CHECK(cudaGetLastError() == cudaSuccess);
    }

    leave_an_error();  // for what uses CUB, which drops it
    snack::SparseLinear<B, T> layer(ctx, {.in_features = 60, .out_features = 50, .sparsity = 0.8});
    leave_an_error();
    CHECK_NOTHROW(layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{}));
    cudaGetLastError();
    CHECK(at.value(ctx, at.y()) == 2);
}

template <class B, class T>
void an_error_of_ours_is_told_once() {
    snack::CudaContext ctx;
    OneCell<B, T> at(ctx);
    constexpr Size too_much = Size{1} << 43;

    CHECK(text_of<snack::ShapeError>([&] {
              at.layer.forward(ctx, {at.x().data(), 1, 2}, at.y());
          }) == "SparseLinear::forward: x has 2 features, the layer takes 1");
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(contains(text_of<snack::CudaError>([&] { ctx.allocate<T>(too_much); }),
                   "CudaContext::allocate: cudaMallocAsync failed with cudaErrorMemoryAllocation"));
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_THROWS_AS(snack::CudaContext({.device = 9999}), snack::CudaError);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(current_device() == 0);

    at.layer.forward(ctx, at.x(), at.y());
    CHECK(at.value(ctx, at.y()) == 2);
}

template <class B, class T>
void host_memory_is_refused() {
    using snack::ArgumentError;
    snack::CudaContext ctx;
    OneCell<B, T> at(ctx);
    T on_stack[4] = {1, 1, 1, 1};
    const MatrixView<T, CudaSpace> foreign(on_stack, 1, 1);
    const auto text = [](const char* call, const char* operand) {
        return std::string("SparseLinear::") + call + ": " + operand +
               " lies in host memory, the context takes memory of device 0";
    };
    leave_an_error();

    CHECK(text_of<ArgumentError>([&] { at.layer.forward(ctx, foreign, at.y()); }) == text("forward", "x"));
    CHECK(text_of<ArgumentError>([&] { at.layer.forward(ctx, at.x(), foreign); }) == text("forward", "y"));
    CHECK(text_of<ArgumentError>([&] { at.layer.backward(ctx, foreign, at.dy()); }) == text("backward", "x"));
    CHECK(text_of<ArgumentError>([&] { at.layer.backward(ctx, at.x(), foreign); }) == text("backward", "dy"));
    CHECK(text_of<ArgumentError>([&] { at.layer.backward(ctx, at.x(), at.dy(), foreign); }) == text("backward", "dx"));
    CHECK(text_of<ArgumentError>([&] {
              at.layer.bind(ctx, {.gradients = {on_stack, 1}});
          }) == text("bind", "gradients"));

    CHECK(error_was_left());
    CHECK(on_host<T>(ctx, std::as_const(at.memory).span()) == std::vector<T>(4, 1));
    CHECK(on_host<T>(ctx, std::as_const(at.layer).gradients())[0] == 0);
    CHECK_NOTHROW(at.layer.forward(ctx, {on_stack, 0, 1}, {on_stack, 0, 1}));
    at.layer.forward(ctx, at.x(), at.y());
    CHECK(at.value(ctx, at.y()) == 2);
}

/// Managed memory, and host memory that CUDA has given out or been told of.
template <class B, class T>
void memory_that_the_device_reaches_is_taken() {
    constexpr std::size_t page = 4096;
    snack::CudaContext ctx;
    OneCell<B, T> at(ctx);
    T* managed = nullptr;
    T* pinned = nullptr;
    Staging::check(cudaMallocManaged(&managed, 2 * sizeof(T)));
    Staging::check(cudaHostAlloc(&pinned, 2 * sizeof(T), cudaHostAllocDefault));
    const std::unique_ptr<void, void (*)(void*)> paged(std::aligned_alloc(page, page), std::free);
    T* const registered = static_cast<T*>(paged.get());
    Staging::check(cudaHostRegister(registered, page, cudaHostRegisterDefault));
    for (T* const memory : {managed, pinned, registered}) {
        memory[0] = 4;
        memory[1] = 0;

        at.layer.forward(ctx, {memory, 1, 1}, {memory + 1, 1, 1});
        ctx.synchronize();

        CHECK(memory[1] == 8);
    }
    Staging::check(cudaHostUnregister(registered));
    CHECK_THROWS_AS(at.layer.forward(ctx, {registered, 1, 1}, at.y()), snack::ArgumentError);
    Staging::check(cudaFreeHost(pinned));
    Staging::check(cudaFree(managed));
}

}  // namespace tests
