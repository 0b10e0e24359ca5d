// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Conformance, part four: small inputs on which libraries of this kind gave wrong answers, with
// the right ones. Each names the fault it is about.

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <sys/mman.h>

#include <tests/conformance/members.hpp>

namespace tests::conformance {

template <class T>
using Entries = std::vector<std::tuple<Size, Size, T>>;  // row, column, value

template <class B, class T>
Layer<B, T> layer_of(ContextFor<B>& ctx, Size out, Size in, const Entries<T>& entries,
                     std::vector<Size>* permutation = nullptr) {
    std::vector<Size> rows;
    std::vector<Size> columns;
    std::vector<T> values;
    for (const auto& [row, column, value] : entries) {
        rows.push_back(row);
        columns.push_back(column);
        values.push_back(value);
    }
    const snack::CooMatrix<T> matrix(snack::CooView<T, Size>{out, in, rows, columns, values});
    if (permutation != nullptr) {
        permutation->assign(matrix.permutation().begin(), matrix.permutation().end());
    }
    return Layer<B, T>(ctx, matrix);
}

/// Entries in any order give the same results, and each gradient belongs to its coordinate.
template <class B, class T>
void any_order_of_entries_gives_the_same_results() {
    ContextFor<B> ctx({.threads = 1});
    const std::map<std::pair<Size, Size>, T> want_dw = {
        {{2, 0}, 3}, {{0, 1}, 10}, {{2, 2}, 300}, {{1, 1}, 20}, {{0, 0}, 1}};
    Entries<T> entries = {{0, 0, 16}, {0, 1, 2}, {1, 1, 8}, {2, 0, 1}, {2, 2, 4}};
    int orders = 0;
    do {
        std::vector<Size> permutation;
        auto layer = layer_of<B, T>(ctx, 3, 3, entries, &permutation);
        std::array<T, 3> x = {1, 10, 100};
        std::array<T, 3> dy = {1, 2, 3};
        std::array<T, 3> y{};
        std::array<T, 3> dx{};

        layer.forward(ctx, {x.data(), 1, 3}, {y.data(), 1, 3});
        layer.backward(ctx, {x.data(), 1, 3}, {dy.data(), 1, 3}, {dx.data(), 1, 3});

        REQUIRE(y == std::array<T, 3>{36, 80, 401});
        REQUIRE(dx == std::array<T, 3>{19, 18, 12});
        for (std::size_t e = 0; e < 5; ++e) {
            const auto& [row, column, value] = entries[static_cast<std::size_t>(permutation[e])];
            REQUIRE(layer.gradients().data()[e] == want_dw.at({row, column}));
            REQUIRE(layer.values().data()[e] == value);
        }
        ++orders;
    } while (std::next_permutation(entries.begin(), entries.end()));
    REQUIRE(orders == 120);
}

/// A flattened coordinate beyond 2^32. A dense baseline would take 17 GB or more for this matrix: it
/// asks for them, rather than for what is left of the product in 32 bits, and is refused.
template <class B, class T>
void coordinates_do_not_wrap() {
#if defined(SNACK_BRIEF_TESTS)
    // Each row is a thread or more of an emulated kernel, and slow under a sanitizer: fewer, and longer ones.
    constexpr Size last_row = is_emulated<B> ? 4096 : 65536;
#else
    constexpr Size last_row = 65536;
#endif
    constexpr Size out = last_row + 1;
    constexpr Size in = (Size{1} << 32) / last_row;
    const Entries<T> entries = {{last_row, 0, 2}, {0, 0, 1}, {last_row / 2, 0, 4}};
    if constexpr (snack::FormsDense<B>) {
        CountingAllocator allocator;
        allocator.cap_bytes = out * in * static_cast<Size>(sizeof(T)) - 1;
        ContextFor<B> capped({.threads = 1, .allocator = &allocator});
        CHECK_THROWS_AS((layer_of<B, T>(capped, out, in, entries)), std::bad_alloc);
        CHECK(allocator.largest < 1 << 20);
        return;
    }
    ContextFor<B> ctx;
    auto layer = layer_of<B, T>(ctx, out, in, entries);
    std::vector<T> x(in, T{0});
    x[0] = 3;
    std::vector<T> y(out, T{-1});

    layer.forward(ctx, {x.data(), 1, in}, {y.data(), 1, out});

    std::vector<T> want(out, T{0});
    want[0] = 3;
    want[last_row / 2] = 12;
    want[last_row] = 6;
    REQUIRE(y == want);
}

/// An element 2^31 + 8 elements from the start of its view: some 9 or 17 GB of address space, of
/// which three pages are touched.
template <class B, class T>
void strides_are_64_bits_wide() {
    if (!std::is_same_v<snack::SpaceOf<B>, snack::HostSpace>) {
        return;  // tests/cuda has a case of its own for device memory
    }
    constexpr Size stride = (Size{1} << 31) + 8;
    const auto bytes = static_cast<std::size_t>(stride + 1) * sizeof(T);
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    T* const x = static_cast<T*>(memory);
    x[0] = 1;
    x[stride] = 2;
    ContextFor<B> ctx;
    auto layer = layer_of<B, T>(ctx, 1, 2, {{0, 0, 1}, {0, 1, 10}});
    T y = 0;

    layer.forward(ctx, {x, 1, 2, Layout::column_major, stride}, {&y, 1, 1, Layout::column_major});
    layer.backward(ctx, {x, 1, 2, Layout::column_major, stride}, {&y, 1, 1, Layout::column_major});

    CHECK(y == 21);
    CHECK(layer.gradients().data()[0] == 21);
    CHECK(layer.gradients().data()[1] == 42);
    munmap(memory, bytes);
}

template <class B, class T>
void batches_pass_65535() {
    ContextFor<B> ctx;
    auto layer = layer_of<B, T>(ctx, 1, 1, {{0, 0, 2}});
    for (const auto& [batch, sum] : {std::pair<Size, T>{65536, 196603}, {65535, 196602}, {131073, 393214}}) {
        if (is_emulated<B> && batch != 65536) {
            continue;  // the first batch that a grid cannot have in y is enough where a thread costs a microsecond
        }
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
            Activations<T> x(batch, 1, {layout}, [](Size sample, Size) { return sample % 7; });
            Activations<T> dy(batch, 1, {layout}, T{1});
            Activations<T> y(batch, 1, {layout});
            Activations<T> dx(batch, 1, {layout});

            layer.forward(ctx, x.view(), y.view());
            layer.backward(ctx, x.view(), dy.view(), dx.view());

            const Activations<T> want(batch, 1, {}, [](Size sample, Size) { return 2 * (sample % 7); });
            REQUIRE(y.same_bits(want));
            REQUIRE(dx.same_bits(Activations<T>(batch, 1, {}, T{2})));
            REQUIRE(layer.gradients().data()[0] == sum);
        }
    }
}

/// Odd batches, and every array started 0 to 3 elements past a 16-byte boundary.
template <class B, class T>
void odd_batches_and_addresses_work() {
    ContextFor<B> ctx({.threads = 1});
    auto layer = layer_of<B, T>(ctx, 2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}});
    std::vector<T> lent(16);
    for (const Size batch : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 33, 63, 65}) {
        for (Size shift = 0; shift < 4; ++shift) {
            for (const Layout layout : {Layout::row_major, Layout::column_major}) {
                layer.bind(ctx, {.values = std::span<T>(lent).subspan(static_cast<std::size_t>(shift), 3),
                                 .gradients = std::span<T>(lent).subspan(static_cast<std::size_t>(shift + 8), 3)});
                const Placement in{layout, 0, shift};
                const Placement out{layout, 0, 3 - shift};
                Activations<T> x(batch, 3, in, [](Size sample, Size j) { return (j + 1) * (sample + 1); });
                Activations<T> dy(batch, 2, in, T{1});
                Activations<T> y(batch, 2, out);
                Activations<T> dx(batch, 3, out);

                layer.forward(ctx, x.view(), y.view());
                layer.backward(ctx, x.view(), dy.view(), dx.view());

                const Activations<T> want_y(batch, 2, {},
                                            [](Size sample, Size i) { return (i == 0 ? 7 : 6) * (sample + 1); });
                const Activations<T> want_dx(batch, 3, {}, [](Size, Size j) { return j == 0 ? 1 : j == 1 ? 3 : 2; });
                const T n = static_cast<T>(batch * (batch + 1) / 2);
                REQUIRE((y.same_bits(want_y) && y.surroundings_intact()));
                REQUIRE((dx.same_bits(want_dx) && dx.surroundings_intact()));
                REQUIRE(copy_of(std::as_const(layer).gradients()) == std::vector<T>{n, 3 * n, 2 * n});
            }
        }
    }
}

/// Columns 1 and 2 of a larger matrix, in both layouts.
template <class B, class T>
void strided_views_are_followed() {
    ContextFor<B> ctx;
    auto layer = layer_of<B, T>(ctx, 2, 3, {{0, 0, 1}, {0, 2, 1}, {1, 1, 3}});
    std::array<T, 15> parent{};  // (3 features, 5 samples), the paper's layout
    std::array<T, 15> transposed{};
    for (Size j = 0; j < 3; ++j) {
        for (Size c = 0; c < 5; ++c) {
            parent.data()[j * 5 + c] = static_cast<T>(10 * j + c);
            transposed.data()[c * 3 + j] = static_cast<T>(10 * j + c);
        }
    }
    std::array<T, 4> y{};

    layer.forward(ctx, {parent.data() + 1, 2, 3, Layout::column_major, 5}, {y.data(), 2, 2, Layout::column_major});
    CHECK(y == std::array<T, 4>{22, 24, 33, 36});
    layer.forward(ctx, {transposed.data() + 3, 2, 3, Layout::row_major, 3}, {y.data(), 2, 2});
    CHECK(y == std::array<T, 4>{22, 33, 24, 36});
}

/// First, last and inner rows without entries are written too.
template <class B, class T>
void empty_rows_are_overwritten() {
    ContextFor<B> ctx;
    auto layer = layer_of<B, T>(ctx, 5, 3, {{1, 2, 5}, {3, 0, 7}});
    std::array<T, 3> x = {1, 2, 3};
    std::array<T, 5> y;
    y.fill(std::numeric_limits<T>::quiet_NaN());

    layer.forward(ctx, {x.data(), 1, 3}, {y.data(), 1, 5});

    CHECK(y == std::array<T, 5>{0, 15, 0, 7, 0});
}

/// Rows of one entry less, as many, and one more than a block of 256.
template <class B, class T>
void tails_of_long_rows_are_summed() {
    ContextFor<B> ctx;
    for (const auto& [in, want] : {std::pair<Size, T>{1, 1}, {255, 32640}, {256, 32896}, {257, 33153}}) {
        Entries<T> entries;
        for (Size column = 0; column < in; ++column) {
            entries.emplace_back(0, column, T{1});
        }
        auto layer = layer_of<B, T>(ctx, 1, in, entries);
        for (const Size batch : {1, 6}) {
            Activations<T> x(batch, in, {}, [](Size, Size j) { return j + 1; });
            Activations<T> y(batch, 1, {});

            layer.forward(ctx, x.view(), y.view());

            REQUIRE(y.same_bits(Activations<T>(batch, 1, {}, want)));
        }
    }
}

/// A sum with much cancellation: a hundred calls give the same bits, near the exact value.
template <class B, class T>
void cancelling_sums_repeat() {
    ContextFor<B> ctx({.threads = 4});
    const Pattern pattern = pattern_of("one full row", 1, 4096, [](Size, Size) { return true; });
    std::vector<T> values(4096);
    ExactSum exact;
    for (std::size_t j = 0; j < values.size(); ++j) {
        values[j] = static_cast<T>((j % 2 == 0 ? 1 : -1) * (1 << j % 24));
        exact.add(values[j]);
    }
    Layer<B, T> layer(ctx, matrix_of(pattern, values));
    const std::vector<T> first = response(layer);
    bool repeats = true;
    for (int call = 1; call < 100; ++call) {
        repeats = repeats && same_bits(response(layer), first);
    }

    CHECK(exact.value == -950730695);
    CHECK(exact.magnitude == 2852192085);
    CHECK(std::fabs(static_cast<long double>(first[0]) - exact.value) <= strict_bound<T>(exact));
    CHECK((repeats || B::determinism == snack::Determinism::not_guaranteed));
}

/// A layer that is not square, in the paper's layout.
template <class B, class T>
void a_layer_that_is_not_square_keeps_its_dimensions_apart() {
    ContextFor<B> ctx;
    auto layer = layer_of<B, T>(ctx, 2, 5, {{0, 4, 1}, {1, 0, 2}, {1, 3, -3}});
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        Activations<T> x(3, 5, {layout}, [](Size b, Size j) { return 1 + j + 5 * b; });
        Activations<T> dy(3, 2, {layout}, [](Size b, Size i) { return 1 + b + 3 * i; });
        Activations<T> y(3, 2, {layout});
        Activations<T> dx(3, 5, {layout});

        layer.forward(ctx, x.view(), y.view());
        layer.backward(ctx, x.view(), dy.view(), dx.view());

        const std::vector<std::vector<T>> want_dx = {{8, 10, 12}, {0, 0, 0}, {0, 0, 0}, {-12, -15, -18}, {1, 2, 3}};
        CHECK(y.same_bits(
            Activations<T>(3, 2, {}, [](Size b, Size i) { return (i == 0 ? 5 : -10) - (i == 0 ? -5 : 5) * b; })));
        CHECK(copy_of(std::as_const(layer).gradients()) == std::vector<T>{70, 100, 145});
        for (Size j = 0; j < 5; ++j) {
            for (Size b = 0; b < 3; ++b) {
                CHECK(dx(b, j) == want_dx[static_cast<std::size_t>(j)][static_cast<std::size_t>(b)]);
            }
        }
    }
}

/// Whatever allocation fails, nothing leaks and nothing half-made is left.
template <class B, class T>
void nothing_leaks_when_an_allocation_fails() {
    CountingAllocator allocator;
    Size failures = 0;
    for (bool finished = false; !finished; ++failures) {
        allocator.calls = 0;
        allocator.fail_at_call = failures;
        try {
            ContextFor<B> ctx({.threads = 1, .allocator = &allocator});
            Layer<B, T> layer(ctx, {.in_features = 30, .out_features = 20, .sparsity = 0.9});
            Activations<T> x(5, 30, {}, T{1});
            Activations<T> y(5, 20, {});
            Activations<T> dx(5, 30, {});
            layer.forward(ctx, x.view(), y.view());
            layer.backward(ctx, x.view(), y.view(), dx.view());
            layer.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{});
            const auto copy = layer;
            finished = true;
        } catch (const std::bad_alloc&) {
        }
        REQUIRE(allocator.live_bytes == 0);
    }
    REQUIRE(failures > 10);
}

}  // namespace tests::conformance
