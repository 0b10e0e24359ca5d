// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Conformance, part three: every public member of SparseLinear with this backend. What goes wrong
// is told by a typed error before anything is written; copies are apart, moves leave an empty
// layer; rewiring keeps layer, plan and values in step.

#include <tests/conformance/contract.hpp>
#include <tests/support/throws.hpp>

namespace tests::conformance {

template <class B, class T>
void wrong_views_are_refused_before_anything_is_written() {
    using snack::ShapeError;
    ContextFor<B> ctx;
    const Pattern pattern = random_pattern("any", 4, 6, 9);
    Problem<B, T> problem(ctx, pattern, 2, {}, Data::integers);
    auto& layer = problem.layer;
    Activations<T> y(2, 4, {}, T{7});
    Activations<T> dx(2, 6, {}, T{7});
    Activations<T> short_batch(1, 6, {}, T{1});
    Activations<T> narrow(2, 5, {}, T{1});
    Activations<T> column_major(2, 6, {Layout::column_major}, T{1});
    const auto x = problem.x.view();
    const auto dy = problem.dy.view();

    CHECK(text_of<ShapeError>([&] { layer.forward(ctx, narrow.view(), y.view()); }) ==
          "SparseLinear::forward: x has 5 features, the layer takes 6");
    CHECK(text_of<ShapeError>([&] { layer.forward(ctx, x, narrow.view()); }) ==
          "SparseLinear::forward: y has 5 features, the layer gives 4");
    CHECK(text_of<ShapeError>([&] { layer.forward(ctx, short_batch.view(), y.view()); }) ==
          "SparseLinear::forward: y has 2 samples, x has 1");
    CHECK_THROWS_AS(layer.forward(ctx, column_major.view(), y.view()), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, narrow.view(), dy, dx.view()), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, x, narrow.view(), dx.view()), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, x, dy, narrow.view()), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, short_batch.view(), dy, dx.view()), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, x, dy, column_major.view()), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, column_major.view(), dy), ShapeError);
    CHECK_THROWS_AS(layer.backward(ctx, x, dy, x), ShapeError);
    CHECK(y.same_bits(Activations<T>(2, 4, {}, T{7})));
    CHECK(dx.same_bits(Activations<T>(2, 6, {}, T{7})));
    CHECK(copy_of(std::as_const(layer).gradients()) == std::vector<T>(9, T{0}));

    layer.forward(ctx, x, y.view());
    CHECK(all_agree(Data::integers, y, exact_forward(pattern, problem.values, problem.bias, problem.x, 2), 2, 4));
}

/// What the layer gives for one sample of ones.
template <class L, class T = typename L::scalar>
std::vector<T> response(const L& layer) {
    ContextFor<typename L::backend> ctx({.threads = 1});
    std::vector<T> x(static_cast<std::size_t>(layer.in_features()), T{1});
    std::vector<T> y(static_cast<std::size_t>(layer.out_features()));
    layer.forward(ctx, {x.data(), 1, layer.in_features()}, {y.data(), 1, layer.out_features()});
    return y;
}

template <class B, class T>
void copies_are_apart_and_moves_leave_nothing() {
    using L = Layer<B, T>;
    ContextFor<B> ctx;
    L a(ctx, matrix_of<T>(pattern_of("one cell", 1, 1, [](Size, Size) { return true; }), {2}));

    L b(std::move(a));
    L& alias = b;
    b = alias;
    b = std::move(alias);
    L c = b;
    c.values().data()[0] = 5;
    c.values_changed(ctx);

    CHECK(response(b) == std::vector<T>{2});
    CHECK(response(c) == std::vector<T>{5});
    CHECK(a.nnz() == 0);
    CHECK(a.memory().total() == 0);
    CHECK_THROWS_AS(response(a), snack::UnsupportedError);
    CHECK_THROWS_AS(a.values_changed(ctx), snack::UnsupportedError);
    CHECK_THROWS_AS(a.rewire(ctx, snack::MagnitudePruner{}, snack::UniformGrower{}), snack::UnsupportedError);
    a = c;
    CHECK(response(a) == std::vector<T>{5});
    swap(a, b);
    CHECK(response(a) == std::vector<T>{2});
    CHECK(response(b) == std::vector<T>{5});
    L moved_twice(std::move(a));
    a = L(std::move(a));
    CHECK(a.nnz() == 0);
}

template <class B, class T>
void parameters_can_live_in_lent_memory() {
    ContextFor<B> ctx;
    const Pattern pattern = random_pattern("any", 12, 9, 40);
    Problem<B, T> problem(ctx, pattern, 3, {}, Data::integers);
    auto& layer = problem.layer;
    const std::vector<T> before = response(layer);
    std::vector<T> flat(2 * (40 + 12), T{-1});

    CHECK_THROWS_AS(layer.bind(ctx, {.values = std::span<T>(flat).first(39)}), snack::ShapeError);
    layer.bind(ctx, {.values = std::span<T>(flat).subspan(0, 40),
                     .gradients = std::span<T>(flat).subspan(40, 40),
                     .bias = std::span<T>(flat).subspan(80, 12),
                     .bias_gradients = std::span<T>(flat).subspan(92, 12)});
    auto moved = std::move(layer);
    const auto copy = moved;

    CHECK(response(moved) == before);
    CHECK(moved.values().data() == flat.data());
    CHECK(copy.values().data() != flat.data());
    CHECK(copy.memory().total() == moved.memory().total());
    moved.backward(ctx, problem.x.view(), problem.dy.view());
    CHECK(all_agree(Data::integers, std::span<const T>(flat).subspan(40, 40),
                    exact_weight_gradient(pattern, problem.x, problem.dy, 3)));
    std::fill(flat.begin(), flat.end(), T{0});
    moved.values_changed(ctx);
    CHECK(response(moved) == std::vector<T>(12, T{0}));
    CHECK(response(copy) == before);
}

struct SmallIntegers {
    SNACK_HOST_DEVICE double operator()(const snack::RandomKey& key, const snack::Connection& at) const {
        return static_cast<double>(snack::random_bits(key, static_cast<std::uint64_t>(at.entry)) % 9) - 4;
    }
};

/// After many rewires the layer still computes with its own topology and values.
template <class B, class T>
void rewiring_keeps_topology_plan_and_values_in_step() {
    ContextFor<B> ctx;
    Layer<B, T> layer(ctx, {.in_features = 30, .out_features = 20, .sparsity = 0.8, .seed = 4}, SmallIntegers{});
    const T* const address = layer.values().data();
    for (std::uint32_t rewire = 0; rewire < 20; ++rewire) {
        const auto report = layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});
        for (Size e = 0; e < layer.nnz(); ++e) {
            if (report.new_to_old()[static_cast<std::size_t>(e)] < 0) {
                layer.values().data()[e] = static_cast<T>(number(Data::integers, 50 + rewire, e));
            }
        }
        layer.values_changed(ctx);

        std::vector<T> want(20, T{0});
        snack::for_each_entry(*layer.topology(), [&](Size entry, Index row, Index) {
            want[static_cast<std::size_t>(row)] += layer.values().data()[entry];
        });
        CHECK(response(layer) == want);
        CHECK(report.dropped() == 36);
        CHECK(layer.plan().topology_version() == layer.topology()->version());
        CHECK(layer.rewire_count() == rewire + 1);
    }
    CHECK(layer.values().data() == address);
    CHECK(layer.nnz() == 120);
    CHECK(layer.sparsity() == 0.8);
}

template <class B, class T>
void an_inference_layer_holds_no_gradients_and_refuses_backward() {
    ContextFor<B> ctx;
    const Pattern pattern = random_pattern("any", 200, 300, 6000);
    const auto values = numbers<T>(Data::integers, 1, 6000);
    Layer<B, T> training(ctx, matrix_of(pattern, values));
    Layer<B, T> inference(ctx, matrix_of(pattern, values), {}, {.use = snack::PlanUse::inference});
    std::vector<T> x(300, T{1});
    std::vector<T> y(200);

    CHECK(response(inference) == response(training));
    CHECK(inference.gradients().empty());
    CHECK(inference.memory().total() < training.memory().total());
    CHECK_FALSE(inference.has_bias());
    CHECK_THROWS_AS(inference.backward(ctx, {x.data(), 1, 300}, {y.data(), 1, 200}), snack::UnsupportedError);
    CHECK(inference.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{}).dropped() == 3000);
    CHECK(inference.memory().values == 6000 * static_cast<Size>(sizeof(T)));
}

/// Same options, same network: with any backend and again.
template <class B, class T>
void the_same_seed_gives_the_same_network() {
    ContextFor<B> ctx;
    const snack::LayerOptions options{.in_features = 50, .out_features = 40, .sparsity = 0.9, .seed = 8, .stream = 2};
    Layer<B, T> a(ctx, options);
    snack::HostContext host;
    snack::SparseLinear<snack::Reference, T> b(host, options);
    auto other_options = options;
    other_options.stream = 3;
    const Layer<B, T> c(ctx, other_options);

    CHECK(snack::same_coordinates(*a.topology(), *b.topology()));
    CHECK(same_bits(copy_of(std::as_const(a).values()), copy_of(std::as_const(b).values())));
    CHECK(copy_of(std::as_const(a).bias()) == std::vector<T>(40, T{0}));
    CHECK_FALSE(snack::same_coordinates(*a.topology(), *c.topology()));
}

}  // namespace tests::conformance
