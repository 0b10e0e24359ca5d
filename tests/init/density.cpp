// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A network's budget of connections is shared out exactly, without a layer passing its cells.

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <snack/init/density.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

using Layers = std::vector<LayerShape>;
using Counts = std::vector<Size>;

const Layers lenet = {{300, 784}, {100, 300}, {10, 100}};
const Layers cifar = {{1024, 3072}, {512, 1024}, {10, 512}};

Size cells_of(const LayerShape& layer) {
    return layer.out_features * layer.in_features;
}

Size cells_of(const Layers& layers) {
    return std::accumulate(layers.begin(), layers.end(), Size{0},
                           [](Size sum, const LayerShape& layer) { return sum + cells_of(layer); });
}

Size total(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), Size{0});
}

/// Whether `count` is (1 - sparsity) cells rounded to nearest, for a sparsity of whole thousandths;
/// either way at a half, which 64 bits of the sparsity cannot tell.
bool is_budget(Size count, const Layers& layers, Size thousandths) {
    const Size wanted = (1000 - thousandths) * cells_of(layers);
    return 1000 * count - 500 <= wanted && wanted <= 1000 * count + 500;
}

/// Up to six layers of up to 300 features.
Layers random_network(tests::Dice& dice) {
    Layers layers;
    for (Size left = 1 + dice.below(6); left > 0; --left) {
        layers.push_back({1 + dice.below(300), 1 + dice.below(dice.below(2) == 0 ? 10 : 300)});
    }
    return layers;
}

}  // namespace

TEST_CASE("Erdos-Renyi counts of the 784-300-100-10 network", "[init][density]") {
    CHECK(erdos_renyi_entries(lenet, 0.80) == Counts{38159, 14081, 1000});
    CHECK(erdos_renyi_entries(lenet, 0.90) == Counts{18714, 6906, 1000});
    CHECK(erdos_renyi_entries(lenet, 0.95) == Counts{9051, 3340, 919});
    CHECK(erdos_renyi_entries(lenet, 0.98) == Counts{3621, 1336, 367});
    CHECK(erdos_renyi_entries(lenet, 0.99) == Counts{1810, 668, 184});
}

TEST_CASE("Erdos-Renyi densities of the 3072-1024-512-10 network", "[init][density]") {
    const auto [sparsity, first, second, third] = GENERATE(
        table<double, double, double, double>({{0.95, 0.04130, 0.09292, 1}, {0.99, 0.00778, 0.01750, 0.60889}}));

    const Counts counts = erdos_renyi_entries(cifar, sparsity);

    // The densities are known to five decimals, the counts are whole numbers.
    const auto agrees = [&](std::size_t layer, double density) {
        const auto cells = static_cast<double>(cells_of(cifar[layer]));
        return std::fabs(static_cast<double>(counts[layer]) - density * cells) <= 0.5e-5 * cells + 1;
    };
    CHECK(agrees(0, first));
    CHECK(agrees(1, second));
    CHECK(agrees(2, third));
}

TEST_CASE("the counts of random networks add up and fit their layers", "[init][density]") {
    tests::Dice dice(1);
    for (int round = 0; round < 2000; ++round) {
        const Layers layers = random_network(dice);
        const Size thousandths = dice.below(4) == 0 ? 1000 * dice.below(2) : dice.below(1001);

        const Counts counts = erdos_renyi_entries(layers, static_cast<double>(thousandths) / 1000);

        CAPTURE(round, thousandths);
        REQUIRE(counts.size() == layers.size());
        REQUIRE(is_budget(total(counts), layers, thousandths));
        for (std::size_t i = 0; i < layers.size(); ++i) {
            REQUIRE(counts[i] >= 0);
            REQUIRE(counts[i] <= cells_of(layers[i]));
        }
    }
}

TEST_CASE("random networks with dense layers add up or are refused", "[init][density]") {
    tests::Dice dice(3);
    for (int round = 0; round < 1000; ++round) {
        Layers layers = random_network(dice);
        Size dense_cells = 0;
        for (LayerShape& layer : layers) {
            layer.dense = dice.below(3) == 0;
            dense_cells += layer.dense ? cells_of(layer) : 0;
        }
        const Size thousandths = dice.below(1001);
        const double sparsity = static_cast<double>(thousandths) / 1000;

        CAPTURE(round, thousandths);
        if (1000 * dense_cells - 500 > (1000 - thousandths) * cells_of(layers)) {
            REQUIRE_THROWS_AS(erdos_renyi_entries(layers, sparsity), ArgumentError);
            continue;
        }
        const Counts counts = erdos_renyi_entries(layers, sparsity);
        REQUIRE(is_budget(total(counts), layers, thousandths));
        for (std::size_t i = 0; i < layers.size(); ++i) {
            REQUIRE(counts[i] <= cells_of(layers[i]));
            REQUIRE((!layers[i].dense || counts[i] == cells_of(layers[i])));
        }
    }
}

TEST_CASE("layers that are not full have entries in proportion to out plus in", "[init][density]") {
    tests::Dice dice(2);
    for (int round = 0; round < 500; ++round) {
        const Layers layers = random_network(dice);
        const Counts counts = erdos_renyi_entries(layers, static_cast<double>(dice.below(1001)) / 1000);

        // count = eps (out + in) to within 1 for layers that are not full, and less for full ones,
        // so some eps lies in all of these intervals.
        double at_least = 0;
        double at_most = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto features = static_cast<double>(layers[i].out_features + layers[i].in_features);
            at_least = std::fmax(at_least, static_cast<double>(counts[i] - 1) / features);
            if (counts[i] < cells_of(layers[i])) {
                at_most = std::fmin(at_most, static_cast<double>(counts[i] + 1) / features);
            }
        }
        CAPTURE(round);
        REQUIRE(at_least <= at_most);
    }
}

TEST_CASE("a layer that would pass density 1 is full and the others take the rest", "[init][density]") {
    const Layers layers = {{1000, 5}, {1000, 1000}};

    CHECK(erdos_renyi_entries(layers, 0.9) == Counts{5000, 95500});
}

TEST_CASE("layers marked dense keep every connection", "[init][density]") {
    Layers layers = lenet;
    layers[1].dense = true;

    const Counts counts = erdos_renyi_entries(layers, 0.8);

    CHECK(counts[1] == 30000);
    CHECK(total(counts) == 53240);
}

TEST_CASE("dense layers that exceed the budget alone are refused", "[init][density]") {
    Layers layers = lenet;
    layers[0].dense = true;

    const std::string text = tests::text_of<ArgumentError>([&] { erdos_renyi_entries(layers, 0.9); });

    CHECK(text == "erdos_renyi_entries: the dense layers need 235200 entries, sparsity 0.9 leaves 26620");
    layers = {{10, 10, true}, {10, 10, true}};
    REQUIRE_THROWS_AS(erdos_renyi_entries(layers, 0.5), ArgumentError);
    CHECK(erdos_renyi_entries(layers, 0) == Counts{100, 100});
}

TEST_CASE("sparsity 0 fills and sparsity 1 empties every layer", "[init][density]") {
    CHECK(erdos_renyi_entries(lenet, 0) == Counts{235200, 30000, 1000});
    CHECK(erdos_renyi_entries(lenet, 1) == Counts{0, 0, 0});
    CHECK(uniform_entries(lenet, 0) == Counts{235200, 30000, 1000});
    CHECK(uniform_entries(lenet, 1) == Counts{0, 0, 0});
}

TEST_CASE("networks without layers or with empty layers have a share too", "[init][density]") {
    CHECK(erdos_renyi_entries(Layers{}, 0.5).empty());
    CHECK(uniform_entries(Layers{}, 0.5).empty());
    CHECK(erdos_renyi_entries(Layers{{0, 10}, {10, 10}, {10, 0}}, 0.5) == Counts{0, 50, 0});
    CHECK(uniform_entries(Layers{{0, 10}, {10, 10}}, 0.5) == Counts{0, 50});
}

TEST_CASE("equal densities give each layer its own rounded count", "[init][density]") {
    Layers layers = lenet;
    CHECK(uniform_entries(layers, 0.9) == Counts{23520, 3000, 100});

    layers[0].dense = true;

    CHECK(uniform_entries(layers, 0.9) == Counts{235200, 3000, 100});
}

TEST_CASE("the largest layers are shared out", "[init][density]") {
    const Layers layers = {{max_features, max_features}, {10, max_features}};
    REQUIRE_NOTHROW(erdos_renyi_entries(layers, 0.999999999));

    const Layers too_many = {{max_features, max_features}, {max_features, max_features}, {max_features, max_features}};
    REQUIRE_THROWS_AS(erdos_renyi_entries(too_many, 0.5), ShapeError);
}

TEST_CASE("nonsense is refused by both ways to share", "[init][density]") {
    const double sparsity =
        GENERATE(-0.1, 1.1, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());

    REQUIRE_THROWS_AS(erdos_renyi_entries(lenet, sparsity), ArgumentError);
    REQUIRE_THROWS_AS(uniform_entries(lenet, sparsity), ArgumentError);
    REQUIRE_THROWS_AS(erdos_renyi_entries(Layers{{-1, 3}}, 0.5), ShapeError);
    REQUIRE_THROWS_AS(uniform_entries(Layers{{3, max_features + 1}}, 0.5), ShapeError);
}
