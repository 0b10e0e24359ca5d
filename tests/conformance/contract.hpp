// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Conformance, part two: what every backend promises besides the numbers. Results repeat at any
// thread count, nothing is allocated after the first call, nothing of size out x in ever is, a
// const layer serves many threads, absent is not zero, and plans know their topology.

#include <thread>

#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <tests/conformance/products.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/executors.hpp>

namespace tests::conformance {

template <class T>
std::vector<T> copy_of(std::span<const T> array) {
    return {array.begin(), array.end()};
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Everything a forward and a backward call write.
template <class T>
struct Outcome {
    Activations<T> y;
    Activations<T> dx;
    std::vector<T> dw;
    std::vector<T> db;

    bool same_bits(const Outcome& other) const {
        return y.same_bits(other.y) && dx.same_bits(other.dx) && conformance::same_bits(dw, other.dw) &&
               conformance::same_bits(db, other.db);
    }
};

template <class T, class Context, class P>
Outcome<T> run(Context& ctx, P& problem, Placement placement) {
    Outcome<T> outcome{{problem.batch, problem.pattern.out_features, placement},
                       {problem.batch, problem.pattern.in_features, placement},
                       {},
                       {}};
    problem.layer.forward(ctx, problem.x.view(), outcome.y.view());
    problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), outcome.dx.view());
    problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), outcome.dx.view(),
                           snack::GradientMode::accumulate);
    outcome.dw = copy_of(std::as_const(problem.layer).gradients());
    outcome.db = copy_of(std::as_const(problem.layer).bias_gradients());
    return outcome;
}

template <class B, class T>
void results_repeat(const Pattern& pattern, const std::vector<Size>& batches, int repeats) {
    for (const Size batch : batches) {
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
            ContextFor<B> serial({.threads = 1});
            Problem<B, T> problem(serial, pattern, batch, {layout}, Data::random);
            const Outcome<T> want = run<T>(serial, problem, {layout});
            BackwardsExecutor reversed;
            ContextFor<B> borrowed({.executor = &reversed});
            REQUIRE(run<T>(borrowed, problem, {layout}).same_bits(want));
            for (const int threads : {1, 2, 3, 8}) {
                ContextFor<B> ctx({.threads = threads});
                for (int repeat = 0; repeat < repeats; ++repeat) {
                    CAPTURE(pattern.name, batch, threads, repeat);
                    REQUIRE(run<T>(ctx, problem, {layout}).same_bits(want));
                }
            }
        }
    }
}

template <class B, class T>
void results_repeat_at_any_thread_count() {
    if (B::determinism == snack::Determinism::not_guaranteed) {
        return;
    }
    if (is_emulated<B>) {
        results_repeat<B, T>(random_pattern("any", 40, 30, 200), {1, 6, 33}, 1);
        return;
    }
#if defined(SNACK_BRIEF_TESTS)
    constexpr int repeats = 1;
#else
    constexpr int repeats = 5;
#endif
    results_repeat<B, T>(random_pattern("large enough for many tasks", 310, 290, 18000), {1, 6, 65, 100}, repeats);
    results_repeat<B, T>(random_pattern("few uses", 100, 6000, 12000), {1, 3, 8}, 2);
}

template <class B, class T>
void nothing_is_allocated_after_the_first_call() {
    const Pattern pattern = random_pattern("any", 60, 70, 600);
    CountingAllocator allocator;
    ContextFor<B> ctx({.threads = 2, .allocator = &allocator});
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        for (const Size batch : {1, 5, 64, 3}) {
            Problem<B, T> problem(ctx, pattern, batch, {layout}, Data::random);
            Activations<T> y(batch, pattern.out_features, {layout});
            Activations<T> dx(batch, pattern.in_features, {layout});
            const auto step = [&] {
                problem.layer.forward(ctx, problem.x.view(), y.view());
                problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), dx.view());
                problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), snack::GradientMode::accumulate);
            };
            step();
            const Size borrowed_before = allocator.calls;
            const Size before = new_calls();

            step();

            const Size after = new_calls();
            CAPTURE(batch);
            REQUIRE(allocator.calls == borrowed_before);
            REQUIRE(after == before);
        }
    }
}

/// A dense baseline tells of every matrix it holds, and a full topology is its own.
template <class B, class T>
void dense_arrays_are_reported() {
    constexpr Size matrix = 200 * 300 * static_cast<Size>(sizeof(T));
    ContextFor<B> ctx({.threads = 1});
    const auto plan_bytes = [&](Size nnz) {
        const Layer<B, T> layer(ctx, {.in_features = 300, .out_features = 200, .nnz = nnz});
        return layer.memory().plan;
    };

    CHECK(plan_bytes(50) >= matrix);
    CHECK(plan_bytes(200 * 300) == plan_bytes(50) - matrix);
}

/// 20000 x 30000 with 5000 connections: a dense matrix would take 600 M elements.
template <class B, class T>
void nothing_dense_is_ever_allocated() {
    if constexpr (snack::FormsDense<B>) {
        dense_arrays_are_reported<B, T>();
        return;
    }
    constexpr Size scale = is_emulated<B> ? 10 : 1;
    constexpr Size out = 20000 / scale;
    constexpr Size in = 30000 / scale;
    constexpr Size batch = 3;
    CountingAllocator allocator;
    reset_largest_new();
    ContextFor<B> ctx({.allocator = &allocator});
    Layer<B, T> layer(ctx, {.in_features = in, .out_features = out, .nnz = 5000 / scale, .seed = 3});
    std::vector<T> x(batch * in, T{1});
    std::vector<T> y(batch * out);
    std::vector<T> dx(batch * in);
    for (int step = 0; step < 3; ++step) {
        layer.forward(ctx, {x.data(), batch, in}, {y.data(), batch, out});
        layer.backward(ctx, {x.data(), batch, in}, {y.data(), batch, out}, {dx.data(), batch, in});
        layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});
    }

    const Size most = static_cast<Size>(sizeof(double)) * 4 * batch * in;
    REQUIRE(largest_new() <= most);
    REQUIRE(allocator.largest <= most);
}

template <class B, class T>
void one_const_layer_serves_many_threads() {
#if defined(SNACK_BRIEF_TESTS)
    constexpr int calls = is_emulated<B> ? 10 : 1000;
#else
    constexpr int calls = is_emulated<B> ? 50 : 1000;
#endif
    const Pattern pattern = pattern_of("diagonal", 64, 64, [](Size row, Size column) { return row == column; });
    std::vector<T> values(64);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(i);
    }
    ContextFor<B> making({.threads = 1});
    const Layer<B, T> layer(making, matrix_of(pattern, values));
    std::vector<int> wrong(8);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            ContextFor<B> ctx({.threads = 1});
            std::vector<T> x(64, static_cast<T>(t));
            std::vector<T> y(64);
            for (int call = 0; call < calls; ++call) {
                layer.forward(ctx, {x.data(), 1, 64}, {y.data(), 1, 64});
                for (std::size_t i = 0; i < y.size(); ++i) {
                    wrong[static_cast<std::size_t>(t)] += y[i] != static_cast<T>(i) * static_cast<T>(t);
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    REQUIRE(wrong == std::vector<int>(8, 0));
}

/// Stored zeros multiply what they meet; absent entries do not, but in a dense baseline.
template <class B, class T>
void absent_is_not_zero() {
    constexpr T inf = std::numeric_limits<T>::infinity();
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    const Pattern pattern = pattern_of("diagonal", 2, 2, [](Size row, Size column) { return row == column; });
    ContextFor<B> ctx;
    for (const auto& [w, x0] : {std::pair{T{0}, inf}, std::pair{T{0}, nan}, std::pair{inf, T{0}}}) {
        const bool spreads = snack::FormsDense<B> && !std::isfinite(x0);
        const auto is = [&](T got, T want) { return spreads ? std::isnan(got) : got == want; };
        for (const Size batch : {1, 4, 33}) {
            Layer<B, T> layer(ctx, matrix_of<T>(pattern, {w, 1}));
            Activations<T> x(batch, 2, {}, [x0 = x0](Size, Size feature) { return feature == 0 ? double{x0} : 2.0; });
            Activations<T> y(batch, 2, {});
            Activations<T> dx(batch, 2, {});

            layer.forward(ctx, x.view(), y.view());
            layer.backward(ctx, y.view(), x.view(), dx.view());

            for (Size sample = 0; sample < batch; ++sample) {
                REQUIRE((std::isnan(y(sample, 0)) && is(y(sample, 1), 2)));
                REQUIRE((std::isnan(dx(sample, 0)) && is(dx(sample, 1), 2)));
            }
            REQUIRE(std::isnan(layer.gradients().data()[0]));
            REQUIRE(is(layer.gradients().data()[1], static_cast<T>(4 * batch)));
        }
    }
}

template <class B, class T>
void plans_know_their_topology() {
    ContextFor<B> ctx;
    for (const Pattern& pattern : pattern_battery()) {
        const PlanFacts training = plan_facts<B, T>(ctx, pattern.topology(), snack::PlanUse::training);
        const PlanFacts inference = plan_facts<B, T>(ctx, pattern.topology(), snack::PlanUse::inference);
        CAPTURE(pattern.name);
        REQUIRE(training.knows_topology);
        REQUIRE(inference.knows_topology);
        REQUIRE(inference.bytes <= training.bytes);
        // The matrix and mask of a dense baseline; otherwise at most two arrays of two 32-bit indices an entry, and
        // three 64-bit offsets a row and column.
        const Size dense =
            snack::FormsDense<B> ? 2 * pattern.out_features * pattern.in_features * static_cast<Size>(sizeof(T)) : 0;
        const Size sparse = 16 * pattern.nnz() + 24 * (pattern.out_features + pattern.in_features + 2);
        REQUIRE(training.bytes <= (snack::FormsDense<B> ? dense : sparse));
    }
}

}  // namespace tests::conformance
