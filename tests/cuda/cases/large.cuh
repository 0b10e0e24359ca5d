// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Offsets and counts beyond 2^31 in device memory, and copies of more than 2^31 bytes. Sums of integers, so
// the answers are exact. Needs some 20 GB or 40 GB, and is skipped where they are not free.

#include <snack/nn/sparse_linear.hpp>
#include <tests/cuda/skipping.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>

namespace tests {

/// Whether so many bytes are free; the test case is skipped otherwise.
inline bool have_memory(Size bytes) {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    Staging::check(cudaDeviceSynchronize());  // what has been freed goes back to the device
    Staging::check(cudaMemGetInfo(&free_bytes, &all_bytes));
    constexpr Size reserve = Size{1} << 30;
    const bool enough = static_cast<Size>(free_bytes) >= bytes + reserve;
    if (!enough) {
        skip("needs " + std::to_string(bytes >> 20) + " MiB of device memory, " + std::to_string(free_bytes >> 20) +
             " are free");
    }
    return enough;
}

template <class T>
struct DiffersFrom {
    const T* elements;
    T wanted;
    SNACK_HOST_DEVICE bool operator()(Size i) const { return elements[i] != wanted; }
};

/// Whether all elements equal `wanted`.
template <class T>
bool all_equal(snack::CudaContext& ctx, DeviceSpan<const T> elements, T wanted) {
    const auto count = static_cast<Size>(elements.size());
    return snack::detail::find_first(ctx, count, DiffersFrom<T>{elements.data(), wanted}) == count;
}

/// Two lines 2^31 + 8 elements apart, in which x, y, dy and dx lie side by side. W = [[1 10] [2 .]].
template <class B, class T>
void elements_lie_beyond_2_to_the_31() {
    constexpr Size stride = (Size{1} << 31) + 8;
    if (!have_memory((stride + 8) * static_cast<Size>(sizeof(T)))) {
        return;
    }
    snack::CudaContext ctx;
    auto memory = ctx.allocate<T>(stride + 8);
    const Pattern pattern = pattern_of("three of four", 2, 2, [](Size row, Size column) { return row + column < 2; });
    snack::SparseLinear<B, T> layer(ctx, matrix_of<T>(pattern, {1, 10, 2}));
    const auto write = [&](Size at, const std::vector<T>& line) {
        ctx.copy_from_host(std::span<const T>(line), memory.span().subspan(static_cast<std::size_t>(at), line.size()));
    };
    const auto read = [&](Size at) {
        return on_host<T>(ctx, std::as_const(memory).span().subspan(static_cast<std::size_t>(at), 2));
    };

    // Features lie far apart: x = [1 2], then y = [21 2], and dy = y.
    for (const Size line : {Size{0}, stride}) {
        write(line, {T(line == 0 ? 1 : 2), -1, line == 0 ? T{21} : T{2}, -1});
    }
    const auto far_features = [&](Size at) {
        return MatrixView<T, CudaSpace>(memory.data() + at, 1, 2, Layout::column_major, stride);
    };
    layer.forward(ctx, far_features(0), far_features(1));
    layer.backward(ctx, far_features(0), far_features(2), far_features(3));

    CHECK(read(1)[0] == 21);
    CHECK(read(stride + 1)[0] == 2);
    CHECK(read(3)[0] == 25);
    CHECK(read(stride + 3)[0] == 210);
    CHECK(on_host<T>(ctx, std::as_const(layer).gradients()) == std::vector<T>{21, 42, 2});

    // Samples lie far apart: x = [1 2] and [3 4].
    write(0, {1, 2, -1, -1, 21, 2, -1, -1});
    write(stride, {3, 4, -1, -1, 43, 6, -1, -1});
    const auto far_samples = [&](Size at) {
        return MatrixView<T, CudaSpace>(memory.data() + at, 2, 2, Layout::row_major, stride);
    };
    layer.forward(ctx, far_samples(0), far_samples(2));
    layer.backward(ctx, far_samples(0), far_samples(4), far_samples(6));

    CHECK(read(2) == std::vector<T>{21, 2});
    CHECK(read(stride + 2) == std::vector<T>{43, 6});
    CHECK(read(6) == std::vector<T>{25, 210});
    CHECK(read(stride + 6) == std::vector<T>{55, 430});
    CHECK(on_host<T>(ctx, std::as_const(layer).gradients()) == std::vector<T>{150, 214, 20});
}

/// One row of 32768 ones and 65536 samples of ones: nnz * batch = 2^31.
template <class B, class T>
void work_passes_2_to_the_31() {
    constexpr Size in = 32768;
    constexpr Size batch = 65536;
    if (!have_memory(2 * in * batch * static_cast<Size>(sizeof(T)))) {
        return;
    }
    snack::CudaContext ctx;
    const Pattern pattern = pattern_of("full row", 1, in, [](Size, Size) { return true; });
    snack::SparseLinear<B, T> layer(ctx, matrix_of(pattern, std::vector<T>(in, 1)));
    auto x = ctx.allocate<T>(in * batch);
    auto dx = ctx.allocate<T>(in * batch);
    auto y = ctx.allocate<T>(batch);
    auto dy = ctx.allocate<T>(batch);
    ctx.fill(x.span(), 1);
    ctx.fill(dy.span(), 1);
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        ctx.fill(y.span(), -1);
        ctx.fill(dx.span(), -1);

        layer.forward(ctx, {x.data(), batch, in, layout}, {y.data(), batch, 1, layout});
        layer.backward(ctx, {x.data(), batch, in, layout}, {dy.data(), batch, 1, layout},
                       {dx.data(), batch, in, layout});

        CHECK(all_equal<T>(ctx, y.span(), 32768));
        CHECK(all_equal<T>(ctx, dx.span(), 1));
        CHECK(all_equal<T>(ctx, layer.gradients(), 65536));
    }
}

}  // namespace tests
