// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Objects that do not belong together, or belong to nobody any more: each use is a typed error,
// and nothing is written.

#include <utility>
#include <vector>

#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::HostLayer;

namespace {

const int one_row[] = {0};
const float one_value[] = {1};

CooMatrix<float> one_cell() {
    return CooMatrix<float>(CooView<float>{1, 1, one_row, one_row, one_value});
}

}  // namespace

TEST_CASE("an optimiser refuses layers that share the topology but not the parameters", "[nn]") {
    HostContext ctx({.threads = 1});
    const CooMatrix<float> matrix = one_cell();
    HostLayer plain(ctx, matrix);
    HostLayer biased(ctx, matrix, one_value);
    HostLayer inference(ctx, matrix, {}, {.use = PlanUse::inference});
    Adam adam(ctx, plain);
    Sgd sgd(ctx, plain, {.momentum = 0.9});

    CHECK_THROWS_AS(adam.step(ctx, biased), TopologyError);
    CHECK_THROWS_AS(sgd.step(ctx, biased), TopologyError);
    CHECK_THROWS_AS(adam.step(ctx, inference), UnsupportedError);
    CHECK_THROWS_AS(sgd.step(ctx, inference), UnsupportedError);
    CHECK(biased.values()[0] == 1);
}

TEST_CASE("a moved-from optimiser belongs to no layer", "[nn]") {
    HostContext ctx({.threads = 1});
    HostLayer layer(ctx, one_cell());
    Sgd sgd(ctx, layer, {.momentum = 0.9});
    Adam adam(ctx, layer);
    Sgd sgd_moved = std::move(sgd);
    Adam adam_moved = std::move(adam);

    CHECK_THROWS_AS(sgd.step(ctx, layer), TopologyError);
    CHECK_THROWS_AS(adam.step(ctx, layer), TopologyError);
    CHECK_NOTHROW(sgd_moved.step(ctx, layer));
    CHECK_NOTHROW(adam_moved.step(ctx, layer));
}

TEST_CASE("a moved-from report is refused", "[nn]") {
    HostContext ctx({.threads = 1});
    HostLayer layer(ctx, {.in_features = 5, .out_features = 5, .sparsity = 0.5});
    Sgd sgd(ctx, layer);
    RewireReport report = layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
    const RewireReport kept = std::move(report);

    CHECK_THROWS_AS(sgd.remap(ctx, report), TopologyError);
    CHECK_NOTHROW(sgd.remap(ctx, kept));
}

TEST_CASE("spans that overlap each other or the layer's memory cannot be bound", "[nn]") {
    HostContext ctx({.threads = 1});
    HostLayer layer(ctx, {.in_features = 4, .out_features = 4, .sparsity = 0});
    std::vector<float> buffer(40, -1);
    const std::span<float> all(buffer);
    const auto values = tests::copy_of(layer.values());

    CHECK_THROWS_AS(layer.bind(ctx, {.values = all.first(16), .gradients = all.first(16)}), ShapeError);
    CHECK_THROWS_AS(layer.bind(ctx, {.values = all.first(16), .gradients = all.subspan(15, 16)}), ShapeError);
    CHECK(buffer == std::vector<float>(40, -1));
    layer.bind(ctx, {.values = layer.values()});
    CHECK(tests::copy_of(layer.values()) == values);
    layer.bind(ctx, {.values = all.first(16), .gradients = all.subspan(16, 16)});
    CHECK_THROWS_AS(layer.bind(ctx, {.values = all.subspan(16, 16), .gradients = all.first(16)}), ShapeError);
    CHECK_THROWS_AS(layer.bind(ctx, {.values = all.subspan(8, 16)}), ShapeError);
    CHECK(tests::copy_of(layer.values()) == values);
}

TEST_CASE("a layer without its extents is refused", "[nn]") {
    HostContext ctx({.threads = 1});

    CHECK_THROWS_AS(HostLayer(ctx, {.in_features = 4}), ShapeError);
    CHECK_THROWS_AS(HostLayer(ctx, {.out_features = 4, .sparsity = 0.5}), ShapeError);
}
