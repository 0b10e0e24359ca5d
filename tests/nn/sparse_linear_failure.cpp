// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whatever fails, and at whichever allocation: nothing leaks, and a layer is as it was.

#include <limits>
#include <new>
#include <vector>

#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/dst/rules.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::bits_of;
using tests::copy_of;
using tests::CountingAllocator;
using tests::FixedGrower;
using tests::FixedPruner;
using tests::HostLayer;
using tests::ReferenceLayer;
using tests::write_tags;

namespace {

const LayerOptions options{.in_features = 12, .out_features = 9, .nnz = 40, .seed = 1};

/// All that a caller can see of a layer.
template <class Layer>
struct Snapshot {
    TopologyPtr topology;
    std::uint64_t plan_version;
    std::uint32_t rewire_count;
    std::vector<std::uint64_t> values, gradients, bias, response;

    explicit Snapshot(const Layer& layer)
        : topology(layer.topology()),
          plan_version(layer.plan().topology_version()),
          rewire_count(layer.rewire_count()),
          values(bits_of(layer.values())),
          gradients(bits_of(layer.gradients())),
          bias(bits_of(layer.bias())) {
        const auto y = tests::response(layer);
        response = bits_of(std::span(y));
    }
    bool operator==(const Snapshot&) const = default;
};

/// Repeats `call` with its first allocation failing, then its second, and so on until it succeeds;
/// `check` runs after each failure. Returns the number of failures.
template <class Call, class Check>
Size fail_at_every_allocation(CountingAllocator& allocator, const Call& call, const Check& check) {
    for (Size failures = 0;; ++failures) {
        allocator.fail_at_call = allocator.calls + failures;
        try {
            call();
            allocator.fail_at_call = -1;
            return failures;
        } catch (const std::bad_alloc&) {
            check();
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("a layer whose construction fails at any allocation leaves nothing behind", "[nn][failure]",
                   ReferenceLayer, HostLayer) {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const auto nothing_held = [&] { REQUIRE(allocator.live_bytes == 0); };

    const Size failures = fail_at_every_allocation(
        allocator, [&] { TestType(ctx, options); }, nothing_held);

    CHECK(failures >= 6);  // cells, two arrays of the topology, values, gradients, bias at least
    CHECK(allocator.live_bytes == 0);
}

TEMPLATE_TEST_CASE("a copy that fails at any allocation leaves its original as it was", "[nn][failure]", ReferenceLayer,
                   HostLayer) {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const TestType original(ctx, options);
    TestType target(ctx, {.in_features = 2, .out_features = 2, .nnz = 2});
    const Snapshot before(original);
    const Snapshot target_before(target);
    const Size held = allocator.live_bytes;
    const auto unchanged = [&] {
        REQUIRE(Snapshot(original) == before);
        REQUIRE(Snapshot(target) == target_before);
        REQUIRE(allocator.live_bytes == held);
    };

    CHECK(fail_at_every_allocation(
              allocator, [&] { target = original; }, unchanged) == 4);
    CHECK(Snapshot(target) == before);
}

TEMPLATE_TEST_CASE("a rewire that fails at any allocation changes nothing", "[nn][failure]", ReferenceLayer,
                   HostLayer) {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    HostContext untroubled({.threads = 1});
    TestType layer(ctx, options);
    write_tags(layer, layer.gradients(), 1);
    TestType twin = layer;

    for (int round = 0; round < 5; ++round) {
        const Snapshot before(layer);
        const Size held = allocator.live_bytes;
        const auto unchanged = [&] {
            REQUIRE(Snapshot(layer) == before);
            REQUIRE(allocator.live_bytes == held);
        };
        const auto rewire = [&] { layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{}); };

        const Size failures = fail_at_every_allocation(allocator, rewire, unchanged);
        twin.rewire(untroubled, MagnitudePruner{0.3}, UniformGrower{});

        CHECK(failures >= 7);  // dropped, grown, cells, two maps, two arrays of the topology at least
        CHECK(same_coordinates(*layer.topology(), *twin.topology()));
        CHECK(bits_of(layer.values()) == bits_of(twin.values()));
        CHECK(bits_of(layer.gradients()) == bits_of(twin.gradients()));
        CHECK(layer.rewire_count() == twin.rewire_count());
        CHECK(tests::response(layer) == tests::response(twin));
    }
}

TEMPLATE_TEST_CASE("a rewire whose rule is wrong changes nothing", "[nn][failure]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    TestType layer(ctx, options);
    write_tags(layer, layer.gradients(), 1);
    const Snapshot before(layer);
    const Size stored = tests::cells_of_layer(layer)[0];
    const UniformGrower good_grower;
    const double nan = std::numeric_limits<double>::quiet_NaN();

    CHECK_THROWS_AS(layer.rewire(ctx, MagnitudePruner{1.5}, good_grower), ArgumentError);
    CHECK_THROWS_AS(layer.rewire(ctx, MagnitudePruner{nan}, good_grower), ArgumentError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{1, 0}}, good_grower), TopologyError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{0, 0}}, good_grower), TopologyError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{40}}, good_grower), TopologyError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{stored}}), TopologyError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{1}}, FixedGrower{{stored}}), TopologyError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{12 * 9}}), TopologyError);
    CHECK_THROWS_AS(layer.rewire(ctx, FixedPruner{{0}}, FixedGrower{{}}), TopologyError);

    CHECK(Snapshot(layer) == before);
    CHECK(layer.rewire(ctx, MagnitudePruner{0.3}, good_grower).grown() == 12);
}

TEMPLATE_TEST_CASE("scratch space that cannot be had leaves the gradients as they were", "[nn][failure]",
                   ReferenceLayer, HostLayer) {
    using T = typename TestType::scalar;
    const Layout layout = GENERATE(Layout::row_major, Layout::column_major);
    constexpr Size batch = 33;
    HostContext making({.threads = 1});
    TestType layer(making, {.in_features = 60, .out_features = 50, .nnz = 1500, .seed = 1});
    const std::vector<T> x(batch * 60, T{1});
    const std::vector<T> dy(batch * 50, T{1});
    std::vector<T> dx(batch * 60);
    write_tags(layer, layer.gradients(), 1);
    const auto before = copy_of(std::as_const(layer).gradients());
    Size failures = 0;

    for (bool finished = false; !finished; ++failures) {
        CountingAllocator allocator;
        allocator.fail_at_call = failures;
        HostContext ctx({.threads = 1, .allocator = &allocator});
        try {
            layer.backward(ctx, {x.data(), batch, 60, layout}, {dy.data(), batch, 50, layout},
                           {dx.data(), batch, 60, layout}, GradientMode::accumulate);
            finished = true;
        } catch (const std::bad_alloc&) {
            REQUIRE(copy_of(std::as_const(layer).gradients()) == before);
        }
    }

    CHECK(failures > 1);
    CHECK(layer.gradients().data()[0] == before[0] + batch);
}

TEMPLATE_TEST_CASE("a failed call of an optimiser's constructor leaves nothing behind", "[nn][failure]", ReferenceLayer,
                   HostLayer) {
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});
    const TestType layer(ctx, options);
    const Size held = allocator.live_bytes;
    const auto nothing_more_held = [&] { REQUIRE(allocator.live_bytes == held); };

    CHECK(fail_at_every_allocation(
              allocator, [&] { Sgd(ctx, layer, {.momentum = 0.9}); }, nothing_more_held) == 2);
    CHECK(fail_at_every_allocation(
              allocator, [&] { Adam(ctx, layer); }, nothing_more_held) == 4);
    CHECK(allocator.live_bytes == held);
}

TEMPLATE_TEST_CASE("a layer, its copies and its lent memory account for every byte", "[nn][failure]", ReferenceLayer,
                   HostLayer) {
    using T = typename TestType::scalar;
    CountingAllocator allocator;
    HostContext ctx({.threads = 1, .allocator = &allocator});

    {
        TestType layer(ctx, options);
        CHECK(allocator.live_bytes == layer.memory().total());
        std::vector<T> memory(40);
        layer.bind(ctx, {.values = memory});
        CHECK(allocator.live_bytes == layer.memory().total() - layer.memory().values);
        const Size held = allocator.live_bytes;
        const TestType copy = layer;
        CHECK(copy.values().data() != memory.data());
        CHECK(allocator.live_bytes == held + 2 * (40 + 9) * static_cast<Size>(sizeof(T)));
    }

    CHECK(allocator.live_bytes == 0);
}
