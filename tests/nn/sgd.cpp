// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// SGD follows its formula, the one PyTorch uses, for every combination of options. All options and
// data are small dyadic fractions, so every result is exact and is compared bit for bit.

#include <limits>
#include <vector>

#include <snack/nn/sgd.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::copy_of;
using tests::HostLayer;
using tests::ReferenceLayer;

namespace {

/// The formula for one parameter, in long double.
struct Expected {
    SgdOptions options;
    long double w;
    long double v = 0;

    void step(long double gradient, bool decayed) {
        const long double g = gradient + (decayed ? options.weight_decay * w : 0);
        v = options.momentum * v + g;
        w -= options.learning_rate * (options.nesterov ? g + options.momentum * v : v);
    }
};

double gradient_at(std::size_t parameter, int step) {
    return static_cast<double>((parameter * 5 + static_cast<std::size_t>(step) * 3) % 9) - 4;
}

}  // namespace

TEMPLATE_TEST_CASE("SGD follows its formula for all options", "[nn][sgd]", ReferenceLayer, HostLayer) {
    const double momentum = GENERATE(0.0, 0.5);
    const double weight_decay = GENERATE(0.0, 0.25);
    const bool nesterov = GENERATE(false, true) && momentum > 0;
    HostContext ctx({.threads = 1});
    TestType layer = tests::small_layer<TestType>(ctx);
    const SgdOptions options{
        .learning_rate = 0.5, .momentum = momentum, .nesterov = nesterov, .weight_decay = weight_decay};
    Sgd optimizer(ctx, layer, options);
    std::vector<Expected> weights;
    std::vector<Expected> biases;
    for (int i = 0; i < 11; ++i) {
        weights.push_back({options, static_cast<long double>(i) - 3});
    }
    for (int i = 0; i < 4; ++i) {
        biases.push_back({options, static_cast<long double>(i) - 3});
    }

    for (int step = 0; step < 5; ++step) {
        tests::set_gradients(layer, step, gradient_at);
        optimizer.step(ctx, layer);

        CAPTURE(momentum, weight_decay, nesterov, step);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i].step(gradient_at(i, step), true);
            REQUIRE(static_cast<long double>(layer.values()[i]) == weights[i].w);
        }
        for (std::size_t i = 0; i < biases.size(); ++i) {
            biases[i].step(gradient_at(i + 1000, step), false);
            REQUIRE(static_cast<long double>(layer.bias()[i]) == biases[i].w);
        }
    }
}

TEMPLATE_TEST_CASE("SGD's velocity can be read", "[nn][sgd]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer = tests::small_layer<TestType>(ctx);
    Sgd optimizer(ctx, layer, {.momentum = 0.5});
    tests::set_gradients(layer, 0, gradient_at);

    optimizer.step(ctx, layer);
    optimizer.step(ctx, layer);

    REQUIRE(optimizer.velocity().size() == 11);
    for (std::size_t i = 0; i < 11; ++i) {
        CHECK(static_cast<double>(optimizer.velocity()[i]) == 1.5 * gradient_at(i, 0));
    }
}

TEMPLATE_TEST_CASE("weight decay does not touch the bias", "[nn][sgd]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer = tests::small_layer<TestType>(ctx);
    const auto bias = copy_of(layer.bias());
    const double momentum = GENERATE(0.0, 0.5);
    Sgd optimizer(ctx, layer, {.learning_rate = 0.5, .momentum = momentum, .weight_decay = 0.5});

    optimizer.step(ctx, layer);

    CHECK(copy_of(layer.bias()) == bias);
    CHECK(static_cast<double>(layer.values()[10]) == 7 * 0.75);
}

TEST_CASE("a changed learning rate holds from the next step on", "[nn][sgd]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    Sgd optimizer(ctx, layer, {.learning_rate = 0.5});
    layer.gradients()[0] = 1;

    optimizer.step(ctx, layer);
    optimizer.set_learning_rate(0.25);
    optimizer.step(ctx, layer);

    CHECK(optimizer.learning_rate() == 0.25);
    CHECK(layer.values()[0] == -3.75);
}

TEST_CASE("SGD without momentum holds no state", "[nn][sgd]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    const Size held = allocator.live_bytes;

    Sgd plain(ctx, layer, {.momentum = 0});
    CHECK(plain.bytes() == 0);
    CHECK(plain.velocity().empty());
    CHECK(allocator.live_bytes == held);

    const Sgd heavy(ctx, layer, {.momentum = 0.9});
    CHECK(heavy.bytes() == 8 * (11 + 4));
    CHECK(allocator.live_bytes == held + heavy.bytes());
}

TEST_CASE("SGD gives the same bits at any number of threads", "[nn][sgd]") {
    const auto trained = [](int threads) {
        HostContext ctx({.threads = threads});
        HostLayer layer(ctx, {.in_features = 300, .out_features = 300, .nnz = 70000, .seed = 2});
        Sgd optimizer(ctx, layer, {.learning_rate = 0.01, .momentum = 0.9, .nesterov = true, .weight_decay = 1e-4});
        for (int step = 0; step < 3; ++step) {
            tests::set_gradients(layer, step, gradient_at);
            optimizer.step(ctx, layer);
        }
        return copy_of(layer.values());
    };

    CHECK(trained(1) == trained(4));
}

TEST_CASE("options of SGD that mean nothing are refused", "[nn][sgd]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = tests::small_layer<ReferenceLayer>(ctx);
    Sgd optimizer(ctx, layer);
    const double bad =
        GENERATE(-0.1, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());

    CHECK_THROWS_AS(Sgd(ctx, layer, {.learning_rate = bad}), ArgumentError);
    CHECK_THROWS_AS(Sgd(ctx, layer, {.momentum = bad}), ArgumentError);
    CHECK_THROWS_AS(Sgd(ctx, layer, {.weight_decay = bad}), ArgumentError);
    CHECK_THROWS_AS(Sgd(ctx, layer, {.momentum = 1}), ArgumentError);
    CHECK(tests::text_of<ArgumentError>([&] { Sgd(ctx, layer, {.nesterov = true}); }) ==
          "Sgd: nesterov is a variant of momentum, which is 0; one above 0 is wanted");
    CHECK_THROWS_AS(optimizer.set_learning_rate(bad), ArgumentError);
    CHECK(optimizer.learning_rate() == 0.1);
    CHECK(tests::text_of<ArgumentError>([&] { optimizer.set_learning_rate(-1); }) ==
          "Sgd: learning rate -1 is negative or not a number");
}

TEST_CASE("SGD refuses a layer without gradients", "[nn][sgd]") {
    HostContext ctx({.threads = 1});
    const Size nnz = GENERATE(0, 4);
    ReferenceLayer layer(ctx, {.in_features = 3, .out_features = 3, .nnz = nnz, .use = PlanUse::inference});

    CHECK_THROWS_AS(Sgd(ctx, layer), UnsupportedError);
}
