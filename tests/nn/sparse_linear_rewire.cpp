// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a rewire does to a layer's parameters: kept connections keep value and gradient bit for bit
// at their coordinate, new ones start at zero, and nothing moves in memory.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <tests/dst/rules.hpp>
#include <tests/nn/layers.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::bits_of;
using tests::cells_of_layer;
using tests::copy_of;
using tests::HostLayer;
using tests::ReferenceLayer;
using tests::response;
using tests::write_tags;

namespace {

/// The bits of each connection's value and gradient, by cell.
template <class Layer>
std::map<Size, std::pair<std::uint64_t, std::uint64_t>> parameters_by_cell(const Layer& layer) {
    const std::vector<Size> cells = cells_of_layer(layer);
    const auto values = bits_of(layer.values());
    const auto gradients = bits_of(layer.gradients());
    std::map<Size, std::pair<std::uint64_t, std::uint64_t>> parameters;
    for (std::size_t e = 0; e < cells.size(); ++e) {
        parameters[cells[e]] = {values[e], gradients[e]};
    }
    return parameters;
}

/// Any finite value, and now and then a NaN, an infinity or a negative zero.
template <class T>
T any_value(tests::Dice& dice) {
    switch (dice.below(30)) {
        case 0:
            return std::numeric_limits<T>::quiet_NaN();
        case 1:
            return -std::numeric_limits<T>::infinity();
        case 2:
            return T{-0.0};
        case 3:
            return std::numeric_limits<T>::denorm_min();
        default:
            return static_cast<T>(dice.below(2001) - 1000) / 16;
    }
}

template <class T>
void scatter(tests::Dice& dice, std::span<T> array) {
    for (T& element : array) {
        element = any_value<T>(dice);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("kept connections keep value and gradient bit for bit and new ones start at zero",
                   "[nn][rewire][threads]", ReferenceLayer, HostLayer) {
    using T = typename TestType::scalar;
    HostContext ctx({.threads = 2});
    tests::Dice dice(1);
    for (const Size nnz : {0, 1, 30, 150, 290, 300}) {
        TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = nnz, .seed = 1});
        for (int round = 0; round < 40; ++round) {
            scatter<T>(dice, layer.values());
            scatter<T>(dice, layer.gradients());
            const auto before = parameters_by_cell(layer);

            const double fraction = static_cast<double>(dice.below(11)) / 10;
            const RewireReport report = layer.rewire(ctx, MagnitudePruner{fraction}, UniformGrower{});

            Size grown = 0;
            for (const auto& [cell, parameters] : parameters_by_cell(layer)) {
                const auto kept = before.find(cell);
                grown += kept == before.end();
                CAPTURE(nnz, round, cell);
                REQUIRE(parameters ==
                        (kept == before.end() ? std::pair<std::uint64_t, std::uint64_t>{} : kept->second));
            }
            REQUIRE(grown == report.grown());
            REQUIRE(report.grown() == std::min<Size>(std::llround(fraction * static_cast<double>(nnz)), 300 - nnz));
            REQUIRE(layer.nnz() == nnz);
        }
    }
}

TEMPLATE_TEST_CASE("a rewire moves no array and counts up", "[nn][rewire]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 90, .seed = 2});
    const auto* const values = layer.values().data();
    const auto* const gradients = layer.gradients().data();
    const auto* const bias = layer.bias().data();
    layer.bias()[3] = 5;

    for (std::uint32_t count = 0; count < 10; ++count) {
        REQUIRE(layer.rewire_count() == count);
        layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
    }

    CHECK(layer.values().data() == values);
    CHECK(layer.gradients().data() == gradients);
    CHECK(layer.bias().data() == bias);
    CHECK(layer.bias()[3] == 5);
    CHECK(layer.rewire_count() == 10);
}

TEMPLATE_TEST_CASE("layers without entries, rows or columns can be rewired", "[nn][rewire]", ReferenceLayer,
                   HostLayer) {
    const auto [out_features, in_features] = GENERATE(table<Size, Size>({{3, 4}, {0, 4}, {3, 0}, {0, 0}}));
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = in_features, .out_features = out_features, .nnz = 0});

    CHECK(layer.rewire(ctx, MagnitudePruner{1}, UniformGrower{}).dropped() == 0);
    CHECK(layer.nnz() == 0);
    CHECK(layer.rewire_count() == 1);
}

TEMPLATE_TEST_CASE("fraction 0 changes no bit", "[nn][rewire]", ReferenceLayer, HostLayer) {
    using T = typename TestType::scalar;
    HostContext ctx({.threads = 1});
    tests::Dice dice(2);
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 90, .seed = 3});
    scatter<T>(dice, layer.values());
    scatter<T>(dice, layer.gradients());
    const auto values = bits_of(layer.values());
    const auto gradients = bits_of(layer.gradients());
    const TopologyPtr topology = layer.topology();

    const RewireReport report = layer.rewire(ctx, MagnitudePruner{0}, UniformGrower{});

    CHECK(bits_of(layer.values()) == values);
    CHECK(bits_of(layer.gradients()) == gradients);
    CHECK(layer.topology() == topology);
    CHECK(report.after() == topology);
    CHECK(layer.rewire_count() == 1);
}

TEMPLATE_TEST_CASE("new connections of value zero are connections", "[nn][rewire]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 90, .bias = false, .seed = 4});
    layer.rewire(ctx, MagnitudePruner{1}, UniformGrower{});
    layer.rewire(ctx, MagnitudePruner{0.5}, UniformGrower{});
    TestType copy = layer;

    using T = typename TestType::scalar;
    std::vector<T> x(20, T{1});
    std::vector<T> dy(15, T{2});
    copy.backward(ctx, {x.data(), 1, 20}, {dy.data(), 1, 15});

    CHECK(copy.nnz() == 90);
    CHECK(copy_of(copy.gradients()) == std::vector<T>(90, T{2}));
}

TEMPLATE_TEST_CASE("a report's maps carry an array of the caller's along", "[nn][rewire]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 90, .seed = 5});
    std::vector<Size> cells = cells_of_layer(layer);

    for (int round = 0; round < 50; ++round) {
        layer.rewire(ctx, MagnitudePruner{0.4}, UniformGrower{}).apply_map(std::span(cells), Size{-1});
        const std::vector<Size> expected = cells_of_layer(layer);
        for (std::size_t e = 0; e < cells.size(); ++e) {
            REQUIRE((cells[e] == -1 || cells[e] == expected[e]));
        }
        cells = expected;
    }
}

TEMPLATE_TEST_CASE("parameters in lent memory survive rewires there", "[nn][rewire]", ReferenceLayer, HostLayer) {
    using T = typename TestType::scalar;
    HostContext ctx({.threads = 1});
    const LayerOptions options{.in_features = 20, .out_features = 15, .nnz = 90, .seed = 6};
    TestType own(ctx, options);
    TestType lent(ctx, options);
    std::vector<T> memory(2 * 90 + 2 * 15 + 2, T{-9});
    lent.bind(ctx, {.values = std::span(memory).subspan(1, 90), .gradients = std::span(memory).subspan(91, 90)});

    for (Size round = 0; round < 20; ++round) {
        for (TestType* layer : {&own, &lent}) {
            write_tags(*layer, layer->values(), round);
            write_tags(*layer, layer->gradients(), round + 500);
            layer->rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
        }
        REQUIRE(std::vector<T>(memory.begin() + 1, memory.begin() + 91) == copy_of(own.values()));
        REQUIRE(std::vector<T>(memory.begin() + 91, memory.begin() + 181) == copy_of(own.gradients()));
    }

    CHECK(memory[0] == -9);
    CHECK(std::vector<T>(memory.begin() + 181, memory.end()) == std::vector<T>(31, T{-9}));
    CHECK(lent.values().data() == memory.data() + 1);
}

TEMPLATE_TEST_CASE("a copy is not rewired with its original", "[nn][rewire]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 90, .seed = 7});
    const TestType copy = layer;
    const auto before = response(copy);
    const std::vector<Size> cells = cells_of_layer(copy);

    layer.rewire(ctx, MagnitudePruner{0.5}, UniformGrower{});

    CHECK(cells_of_layer(copy) == cells);
    CHECK(copy.rewire_count() == 0);
    CHECK(response(copy) == before);
    CHECK(cells_of_layer(layer) != cells);
}

TEMPLATE_TEST_CASE("a layer of 40 thousand million cells is made and rewired in little memory", "[nn][rewire]",
                   ReferenceLayer, HostLayer) {
    tests::CountingAllocator allocator;
    allocator.cap_bytes = Size{64} << 20;
    HostContext ctx({.threads = 1, .allocator = &allocator});

    TestType layer(ctx, {.in_features = 200000, .out_features = 200000, .nnz = 1000, .seed = 8});
    for (int round = 0; round < 3; ++round) {
        REQUIRE(layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{}).grown() == 300);
    }

    CHECK(layer.nnz() == 1000);
    CHECK(cells_of_layer(layer).back() > Size{1} << 32);
}
