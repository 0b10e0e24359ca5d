// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of an optimiser follows every rewire: kept connections keep theirs bit for bit, new
// ones start at zero, and a report that does not fit is refused.

#include <map>
#include <vector>

#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/dst/rules.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::bits_of;
using tests::cells_of_layer;
using tests::contains;
using tests::copy_of;
using tests::FixedGrower;
using tests::FixedPruner;
using tests::HostLayer;
using tests::ReferenceLayer;
using tests::text_of;
using tests::write_tags;

namespace {

const SgdOptions heavy{.learning_rate = 0.5, .momentum = 0.5};

/// The state arrays of an optimiser that follow the connections.
template <class T>
std::vector<std::span<T>> states_of(Sgd<T>& optimizer) {
    return {optimizer.velocity()};
}
template <class T>
std::vector<std::span<T>> states_of(Adam<T>& optimizer) {
    return {optimizer.first_moment(), optimizer.second_moment()};
}

/// Tags every state by coordinate, rewires, and looks for the tags, 200 times.
template <class Layer, class Optimizer>
void require_state_follows(Layer& layer, Optimizer& optimizer) {
    using T = typename Layer::scalar;
    HostContext ctx({.threads = 1});
    for (Size round = 0; round < 200; ++round) {
        std::vector<std::map<Size, T>> tags;
        for (const std::span<T> state : states_of(optimizer)) {
            write_tags(layer, state, round + 1000 * static_cast<Size>(tags.size()));
            tags.emplace_back();
            const std::vector<Size> cells = cells_of_layer(layer);
            for (std::size_t e = 0; e < cells.size(); ++e) {
                tags.back()[cells[e]] = state[e];
            }
        }

        const double fraction = static_cast<double>(round % 11) / 10;
        optimizer.remap(ctx, layer.rewire(ctx, MagnitudePruner{fraction}, UniformGrower{}));

        const std::vector<Size> cells = cells_of_layer(layer);
        for (std::size_t array = 0; array < tags.size(); ++array) {
            for (std::size_t e = 0; e < cells.size(); ++e) {
                const auto kept = tags[array].find(cells[e]);
                CAPTURE(round, array, e);
                REQUIRE(states_of(optimizer)[array][e] == (kept == tags[array].end() ? T{0} : kept->second));
            }
        }
        write_tags(layer, layer.values(), round);
    }
}

/// 1 x 4 with entries at columns 0 and 1.
template <class Layer>
Layer line(HostContext& ctx) {
    using T = typename Layer::scalar;
    return Layer(ctx, CooMatrix<T>(Topology::from_cells(1, 4, std::vector<Size>{0, 1}), Buffer<T>(2, T{1}, nullptr)));
}

}  // namespace

TEMPLATE_TEST_CASE("SGD's velocity stays with its connection through 200 rewires", "[nn][remap]", ReferenceLayer,
                   HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 140, .seed = 1});
    Sgd optimizer(ctx, layer, heavy);

    require_state_follows(layer, optimizer);
}

TEMPLATE_TEST_CASE("Adam's moments stay with their connection through 200 rewires", "[nn][remap]", ReferenceLayer,
                   HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 20, .out_features = 15, .nnz = 200, .seed = 2});
    Adam optimizer(ctx, layer);

    require_state_follows(layer, optimizer);
}

TEMPLATE_TEST_CASE("old momentum does not come back with its cell", "[nn][remap]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer = line<TestType>(ctx);
    Sgd optimizer(ctx, layer, heavy);
    const auto rewire = [&](Size entry, Size cell) {
        optimizer.remap(ctx, layer.rewire(ctx, FixedPruner{{entry}}, FixedGrower{{cell}}));
    };
    layer.gradients()[0] = 4;
    optimizer.step(ctx, layer);
    REQUIRE(optimizer.velocity()[0] == 4);

    rewire(0, 3);  // column 0 goes
    rewire(1, 2);
    rewire(1, 0);  // column 0 comes again
    layer.gradients()[0] = 1;
    layer.gradients()[1] = 0;
    optimizer.step(ctx, layer);

    CHECK(cells_of_layer(layer) == std::vector<Size>{0, 1});
    CHECK(optimizer.velocity()[0] == 1);
    CHECK(layer.values()[0] == -0.5);
}

TEMPLATE_TEST_CASE("an optimiser whose layer was rewired refuses to step until it has followed", "[nn][remap]",
                   ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer = line<TestType>(ctx);
    Sgd sgd(ctx, layer, heavy);
    Sgd plain(ctx, layer);
    Adam adam(ctx, layer);
    const RewireReport report = layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{3}});
    layer.gradients()[0] = 1;
    const auto values = copy_of(layer.values());

    CHECK(contains(text_of<TopologyError>([&] { sgd.step(ctx, layer); }), "Sgd::step"));
    CHECK(contains(text_of<TopologyError>([&] { adam.step(ctx, layer); }), "Adam::step"));
    CHECK_THROWS_AS(plain.step(ctx, layer), TopologyError);
    CHECK(copy_of(layer.values()) == values);
    CHECK(sgd.velocity()[0] == 0);
    CHECK(adam.first_moment()[0] == 0);

    sgd.remap(ctx, report);
    plain.remap(ctx, report);
    adam.remap(ctx, report);
    CHECK_NOTHROW(sgd.step(ctx, layer));
    CHECK_NOTHROW(plain.step(ctx, layer));
    CHECK_NOTHROW(adam.step(ctx, layer));
}

TEMPLATE_TEST_CASE("a foreign, a repeated and a skipped report are refused and change no state", "[nn][remap]",
                   ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer = line<TestType>(ctx);
    TestType other = line<TestType>(ctx);
    Sgd sgd(ctx, layer, heavy);
    Adam adam(ctx, layer);
    sgd.velocity()[0] = 5;
    sgd.velocity()[1] = 6;
    adam.first_moment()[1] = 7;
    adam.second_moment()[1] = 8;
    const auto require_refused = [&](const RewireReport& report) {
        const auto velocity = bits_of(sgd.velocity());
        const auto first = bits_of(adam.first_moment());
        const auto second = bits_of(adam.second_moment());
        CHECK(contains(text_of<TopologyError>([&] { sgd.remap(ctx, report); }), "Sgd::remap"));
        CHECK(contains(text_of<TopologyError>([&] { adam.remap(ctx, report); }), "Adam::remap"));
        CHECK(bits_of(sgd.velocity()) == velocity);
        CHECK(bits_of(adam.first_moment()) == first);
        CHECK(bits_of(adam.second_moment()) == second);
    };

    require_refused(other.rewire(ctx, FixedPruner{{0}}, FixedGrower{{3}}));
    const RewireReport first = layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{3}});
    const RewireReport second = layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{0}});
    require_refused(second);
    sgd.remap(ctx, first);
    adam.remap(ctx, first);
    require_refused(first);
    sgd.remap(ctx, second);
    adam.remap(ctx, second);
    require_refused(first);
    require_refused(second);

    CHECK_NOTHROW(sgd.step(ctx, layer));
    CHECK_NOTHROW(adam.step(ctx, layer));
}

TEST_CASE("two rewires can be followed later, in order", "[nn][remap]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = line<ReferenceLayer>(ctx);
    Sgd optimizer(ctx, layer, heavy);
    optimizer.velocity()[0] = 5;
    optimizer.velocity()[1] = 6;

    const RewireReport first = layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{3}});   // columns 1 3
    const RewireReport second = layer.rewire(ctx, FixedPruner{{1}}, FixedGrower{{0}});  // columns 0 1
    optimizer.remap(ctx, first);
    optimizer.remap(ctx, second);

    CHECK(copy_of(optimizer.velocity()) == std::vector<double>{0, 6});
    CHECK_NOTHROW(optimizer.step(ctx, layer));
}

TEST_CASE("a report of no change can be followed or not", "[nn][remap]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = line<ReferenceLayer>(ctx);
    Sgd optimizer(ctx, layer, heavy);
    optimizer.velocity()[0] = 5;

    const RewireReport report = layer.rewire(ctx, MagnitudePruner{0}, UniformGrower{});
    CHECK_NOTHROW(optimizer.step(ctx, layer));
    optimizer.remap(ctx, report);
    optimizer.remap(ctx, report);

    CHECK_NOTHROW(optimizer.step(ctx, layer));
    CHECK(optimizer.velocity()[0] == 1.25);
}

TEST_CASE("the bias keeps its momentum through a rewire", "[nn][remap]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer(ctx, {.in_features = 4, .out_features = 1, .nnz = 2});
    Sgd optimizer(ctx, layer, heavy);
    layer.bias_gradients()[0] = 2;
    optimizer.step(ctx, layer);
    REQUIRE(layer.bias()[0] == -1);

    optimizer.remap(ctx, layer.rewire(ctx, MagnitudePruner{1}, UniformGrower{}));
    optimizer.step(ctx, layer);

    CHECK(layer.bias()[0] == -2.5);
}

TEST_CASE("one optimiser does not step another layer", "[nn][remap]") {
    HostContext ctx({.threads = 1});
    ReferenceLayer layer = line<ReferenceLayer>(ctx);
    ReferenceLayer same_coordinates = line<ReferenceLayer>(ctx);
    ReferenceLayer emptied = line<ReferenceLayer>(ctx);
    const ReferenceLayer taken(std::move(emptied));
    Sgd optimizer(ctx, layer, heavy);

    CHECK_THROWS_AS(optimizer.step(ctx, same_coordinates), TopologyError);
    CHECK_THROWS_AS(optimizer.step(ctx, emptied), TopologyError);
    CHECK_NOTHROW(optimizer.step(ctx, layer));
}
