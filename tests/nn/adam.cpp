// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Adam follows its formula, the one PyTorch uses, for every combination of options, within the
// roundings that the formula needs.

#include <cmath>
#include <limits>
#include <vector>

#include <snack/nn/adam.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::copy_of;
using tests::HostLayer;
using tests::ReferenceLayer;

namespace {

/// The formula for one parameter in long double, with a bound on the error of the same in T.
template <class T>
struct Expected {
    AdamOptions options;
    long double w;
    long double m = 0;
    long double v = 0;
    long double m_magnitude = 0;  ///< m without cancellation: what its error is relative to
    long double error = 0;        ///< of w so far
    int steps = 0;

    void step(long double gradient, long double weight_decay) {
        const long double u = ScalarTraits<T>::unit_roundoff;
        const long double b1 = options.beta1;
        const long double b2 = options.beta2;
        ++steps;
        const long double g = gradient + (options.decoupled ? 0 : weight_decay * w);
        m = b1 * m + (1 - b1) * g;
        m_magnitude = b1 * m_magnitude + (1 - b1) * (std::fabs(gradient) + weight_decay * std::fabs(w));
        v = b2 * v + (1 - b2) * g * g;
        const long double denominator = std::sqrt(v / (1 - std::pow(b2, steps))) + options.epsilon;
        const long double rate = options.learning_rate / (1 - std::pow(b1, steps));
        w = (options.decoupled ? 1 - options.learning_rate * weight_decay : 1) * w - rate * m / denominator;
        // A step rounds m three times relative to its magnitude and v four times, and both carry what
        // they had: 4 t u, and half of 5 t u in the quotient. The quotient takes eight more roundings,
        // and w three of its own. beta^t is a product in double, so 1 - beta^t, and with it the rate,
        // is off by 2^-53 / (1 - beta); half of that under the root. Twice all that, for the error
        // which g takes from w in the coupled form.
        const long double moments = (7 * steps + 8) * u;
        const long double corrections = 0x1p-53L * (1 / (1 - b1) + 0.5L / (1 - b2));
        error += 2 * ((moments + corrections) * rate * m_magnitude / denominator + 3 * u * std::fabs(w));
    }
};

/// Gradients of both signs and sizes, none of them zero.
double gradient_at(std::size_t parameter, int step) {
    const double size = static_cast<double>((parameter * 5 + static_cast<std::size_t>(step) * 3) % 9) - 4.25;
    return size * std::ldexp(1.0, static_cast<int>(parameter % 7) - 5);
}

}  // namespace

TEMPLATE_TEST_CASE("Adam follows its formula for all options", "[nn][adam]", ReferenceLayer, HostLayer) {
    using T = typename TestType::scalar;
    const double beta1 = GENERATE(0.0, 0.9);
    const double beta2 = GENERATE(0.99, 0.999, 0.9999);
    const double weight_decay = GENERATE(0.0, 0.1);
    const bool decoupled = GENERATE(true, false);
    HostContext ctx({.threads = 1});
    TestType layer = tests::small_layer<TestType>(ctx);
    const AdamOptions options{.learning_rate = 0.01,
                              .beta1 = beta1,
                              .beta2 = beta2,
                              .epsilon = 1e-3,
                              .weight_decay = weight_decay,
                              .decoupled = decoupled};
    Adam optimizer(ctx, layer, options);
    std::vector<Expected<T>> weights;
    std::vector<Expected<T>> biases;
    for (int i = 0; i < 11; ++i) {
        weights.push_back({options, static_cast<long double>(i) - 3});
    }
    for (int i = 0; i < 4; ++i) {
        biases.push_back({options, static_cast<long double>(i) - 3});
    }

    for (int step = 0; step < 12; ++step) {
        tests::set_gradients(layer, step, gradient_at);
        optimizer.step(ctx, layer);

        CAPTURE(beta1, beta2, weight_decay, decoupled, step);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i].step(gradient_at(i, step), weight_decay);
            REQUIRE(std::fabs(static_cast<long double>(layer.values()[i]) - weights[i].w) <= weights[i].error);
        }
        for (std::size_t i = 0; i < biases.size(); ++i) {
            biases[i].step(gradient_at(i + 1000, step), 0);
            REQUIRE(std::fabs(static_cast<long double>(layer.bias()[i]) - biases[i].w) <= biases[i].error);
        }
    }
}

TEMPLATE_TEST_CASE("Adam's first step moves each weight by the learning rate", "[nn][adam]", ReferenceLayer,
                   HostLayer) {
    HostContext ctx({.threads = 1});
    using T = typename TestType::scalar;
    TestType layer(ctx, {.in_features = 5, .out_features = 2, .nnz = 10, .bias = false}, ConstantValue{0});
    Adam optimizer(ctx, layer, {.learning_rate = 0.5, .epsilon = 1e-30});
    tests::set_gradients(layer, 0, gradient_at);

    optimizer.step(ctx, layer);

    // m / (1 - beta1) = g and v / (1 - beta2) = g^2 to eight roundings in all.
    for (std::size_t i = 0; i < 10; ++i) {
        const double moved = std::fabs(static_cast<double>(layer.values()[i]));
        CHECK(std::fabs(moved - 0.5) <= 0.5 * 8 * ScalarTraits<T>::unit_roundoff);
    }
}

TEST_CASE("AdamW's decay shrinks the weights apart from the gradient", "[nn][adam]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    const auto before = copy_of(layer.values());
    const auto bias = copy_of(layer.bias());
    Adam optimizer(ctx, layer, {.learning_rate = 0.5, .weight_decay = 0.5});

    optimizer.step(ctx, layer);

    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(layer.values()[i] == 0.75 * before[i]);
    }
    CHECK(copy_of(layer.bias()) == bias);
}

TEST_CASE("coupled decay is a gradient and leaves the bias alone", "[nn][adam]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    const auto bias = copy_of(layer.bias());
    Adam optimizer(ctx, layer, {.weight_decay = 0.5, .decoupled = false});

    optimizer.step(ctx, layer);

    CHECK(optimizer.first_moment()[10] > 0);
    CHECK(optimizer.first_moment()[0] < 0);
    CHECK(optimizer.first_moment()[3] == 0);
    CHECK(copy_of(layer.bias()) == bias);
}

TEST_CASE("Adam's moments live in the context's memory", "[nn][adam]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    const Size held = allocator.live_bytes;

    Adam optimizer(ctx, layer);

    CHECK(optimizer.bytes() == 2 * 8 * (11 + 4));
    CHECK(allocator.live_bytes == held + optimizer.bytes());
    CHECK(copy_of(optimizer.first_moment()) == std::vector<double>(11));
    CHECK(copy_of(optimizer.second_moment()) == std::vector<double>(11));
}

TEST_CASE("Adam gives the same bits at any number of threads", "[nn][adam]") {
    const auto trained = [](int threads) {
        HostContext ctx({.threads = threads});
        HostLayer layer(ctx, {.in_features = 300, .out_features = 300, .nnz = 70000, .seed = 2});
        Adam optimizer(ctx, layer, {.weight_decay = 0.01});
        for (int step = 0; step < 3; ++step) {
            tests::set_gradients(layer, step, gradient_at);
            optimizer.step(ctx, layer);
        }
        return copy_of(layer.values());
    };

    CHECK(trained(1) == trained(4));
}

TEST_CASE("options of Adam that mean nothing are refused", "[nn][adam]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    Adam optimizer(ctx, layer);
    const double bad =
        GENERATE(-0.1, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());

    CHECK_THROWS_AS(Adam(ctx, layer, {.learning_rate = bad}), ArgumentError);
    CHECK_THROWS_AS(Adam(ctx, layer, {.beta1 = bad}), ArgumentError);
    CHECK_THROWS_AS(Adam(ctx, layer, {.beta2 = bad}), ArgumentError);
    CHECK_THROWS_AS(Adam(ctx, layer, {.epsilon = bad}), ArgumentError);
    CHECK_THROWS_AS(Adam(ctx, layer, {.weight_decay = bad}), ArgumentError);
    CHECK_THROWS_AS(Adam(ctx, layer, {.beta1 = 1}), ArgumentError);
    CHECK_THROWS_AS(Adam(ctx, layer, {.beta2 = 1}), ArgumentError);
    CHECK_THROWS_AS(optimizer.set_learning_rate(bad), ArgumentError);
    CHECK(optimizer.learning_rate() == 1e-3);
    CHECK(tests::text_of<ArgumentError>([&] { Adam(ctx, layer, {.beta2 = 1.5}); }) ==
          "Adam: beta2 1.5 is not in [0, 1)");
}

TEST_CASE("Adam refuses a layer without gradients", "[nn][adam]") {
    HostContext ctx({.threads = 1});
    const Size nnz = GENERATE(0, 4);
    ReferenceLayer layer(ctx, {.in_features = 3, .out_features = 3, .nnz = nnz, .use = PlanUse::inference});

    CHECK_THROWS_AS(Adam(ctx, layer), UnsupportedError);
}
