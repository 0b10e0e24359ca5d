// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Seed, stream and rewire count determine a layer's topology, on every backend and after a restart.

#include <set>
#include <vector>

#include <tests/core/hash.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::bits_of;
using tests::cells_of_layer;
using tests::copy_of;
using tests::HostLayer;
using tests::ReferenceLayer;
using tests::values_buffer;
using tests::write_tags;

namespace {

const LayerOptions options{.in_features = 40, .out_features = 30, .nnz = 240, .seed = 12, .stream = 3};

/// Values that depend on coordinate and round only, the same on every layer.
template <class Layer>
void rewire_with_tags(HostContext& ctx, Layer& layer, Size round) {
    write_tags(layer, layer.values(), round);
    layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
}

template <class Layer>
std::vector<Size> cells_after(const LayerOptions& with, int rewires, int threads = 1) {
    HostContext ctx({.threads = threads});
    Layer layer(ctx, with);
    for (Size round = 0; round < rewires; ++round) {
        rewire_with_tags(ctx, layer, round);
    }
    return cells_of_layer(layer);
}

}  // namespace

TEST_CASE("the same seed gives the same topology after 100 rewires, with any backend and scalar", "[nn][seed]") {
    const std::vector<Size> expected = cells_after<ReferenceLayer>(options, 100);

    CHECK(cells_after<ReferenceLayer>(options, 100) == expected);
    CHECK(cells_after<HostLayer>(options, 100) == expected);
    CHECK(cells_after<HostLayer>(options, 100, 4) == expected);
    CHECK(cells_after<SparseLinear<Host, double>>(options, 100) == expected);
    CHECK(cells_after<SparseLinear<Reference, float>>(options, 100) == expected);
}

TEST_CASE("other seeds and streams give other topologies, at first and after a rewire", "[nn][seed]") {
    for (const int rewires : {0, 1}) {
        std::set<std::vector<Size>> topologies = {cells_after<ReferenceLayer>(options, rewires)};
        for (int bit = 0; bit < 5; ++bit) {
            LayerOptions other = options;
            other.seed ^= std::uint64_t{1} << (13 * bit);
            topologies.insert(cells_after<ReferenceLayer>(other, rewires));
            other = options;
            other.stream ^= std::uint32_t{1} << (7 * bit);
            topologies.insert(cells_after<ReferenceLayer>(other, rewires));
        }
        CHECK(topologies.size() == 11);
    }
}

TEMPLATE_TEST_CASE("the seed gives the same values and a zero bias", "[nn][seed]", ReferenceLayer, HostLayer) {
    HostContext ctx({.threads = 1});
    const TestType a(ctx, options);
    const TestType b(ctx, options);
    LayerOptions other = options;
    other.stream = 4;
    const TestType c(ctx, other);

    CHECK(bits_of(a.values()) == bits_of(b.values()));
    CHECK(bits_of(a.values()) != bits_of(c.values()));
    CHECK(copy_of(a.bias()) == std::vector<typename TestType::scalar>(30));
    CHECK(copy_of(a.gradients()) == std::vector<typename TestType::scalar>(240));
}

TEST_CASE("single-precision values are the double ones rounded once", "[nn][seed]") {
    HostContext ctx({.threads = 1});
    const ReferenceLayer twice(ctx, options);
    const HostLayer single(ctx, options);

    for (std::size_t e = 0; e < 240; ++e) {
        REQUIRE(single.values()[e] == static_cast<float>(twice.values()[e]));
    }
}

TEST_CASE("a seed means the same network with every compiler", "[nn][seed]") {
    HostContext ctx({.threads = 1});
    tests::Hash hash;
    const auto add = [&](const ReferenceLayer& layer) {
        for (const Size cell : cells_of_layer(layer)) {
            hash.add(static_cast<std::uint64_t>(cell));
        }
        for (const double value : layer.values()) {
            hash.add(value);
        }
    };

    add(ReferenceLayer(ctx, options, KaimingNormal{}));
    add(ReferenceLayer(ctx, options, XavierUniform{}));
    add(ReferenceLayer(ctx, options, XavierNormal{}));
    ReferenceLayer layer(ctx, options);
    for (int rewires = 0; rewires < 10; ++rewires) {
        add(layer);
        layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
    }

    CHECK(hash.value() == 0x00c2387eb1dde3d4u);
}

TEMPLATE_TEST_CASE("seed, stream and rewire count each change which cells a layer grows", "[nn][seed]", ReferenceLayer,
                   HostLayer) {
    HostContext ctx({.threads = 1});
    const TestType start(ctx, options);
    const CooMatrix<typename TestType::scalar> matrix(start.topology(), values_buffer(start));
    std::set<std::vector<Size>> topologies;
    const auto rewire = [&](std::uint64_t seed, std::uint32_t stream, std::uint32_t count) {
        TestType layer(ctx, matrix, {}, {.seed = seed, .stream = stream, .rewire_count = count});
        layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
        topologies.insert(cells_of_layer(layer));
    };

    for (std::uint32_t other = 1; other <= 10; ++other) {
        rewire(other, 0, 0);
        rewire(0, other, 0);
        rewire(0, 0, other);
    }

    CHECK(topologies.size() == 30);
}

TEMPLATE_TEST_CASE("a layer made from saved parts goes on as the one that was saved", "[nn][seed]", ReferenceLayer,
                   HostLayer) {
    using T = typename TestType::scalar;
    HostContext ctx({.threads = 1});
    TestType layer(ctx, options);
    layer.bias()[7] = 3;
    for (Size round = 0; round < 12; ++round) {
        rewire_with_tags(ctx, layer, round);
    }

    const CooMatrix<T> saved(layer.topology(), values_buffer(layer));
    TestType resumed(ctx, saved, layer.bias(),
                     {.seed = options.seed, .stream = options.stream, .rewire_count = layer.rewire_count()});
    for (Size round = 12; round < 20; ++round) {
        rewire_with_tags(ctx, layer, round);
        rewire_with_tags(ctx, resumed, round);
        REQUIRE(same_coordinates(*layer.topology(), *resumed.topology()));
        REQUIRE(bits_of(layer.values()) == bits_of(resumed.values()));
    }

    CHECK(resumed.rewire_count() == 20);
    CHECK(copy_of(resumed.bias()) == copy_of(layer.bias()));
}

TEST_CASE("a layer needs either a sparsity or a number of connections", "[nn]") {
    using Layer = snack::SparseLinear<snack::Reference, float>;
    snack::HostContext ctx({.threads = 1});

    CHECK(tests::text_of<snack::ArgumentError>([&] { Layer(ctx, {.in_features = 2, .out_features = 3}); }) ==
          "SparseLinear: give sparsity or nnz");
    CHECK(tests::text_of<snack::ArgumentError>([&] {
              Layer(ctx, {.in_features = 2, .out_features = 3, .sparsity = 0.5, .nnz = 3});
          }) == "SparseLinear: give sparsity or nnz, not both");
    CHECK(tests::text_of<snack::ArgumentError>([&] { Layer(ctx, {.in_features = 2, .out_features = 3, .nnz = 7}); }) ==
          "SparseLinear: nnz 7 is not between 0 and 6");
}
