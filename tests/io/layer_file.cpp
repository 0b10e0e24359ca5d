// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sparse layers in a file, and back: which tensors there are, and which layers they become.

#include <limits>
#include <vector>

#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/same_bits.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using io::LayerFile;
using io::LayerFileWriter;
using io::Safetensors;
using tests::bits_of;
using tests::contains;
using tests::HostLayer;
using tests::read_file;
using tests::ReferenceLayer;
using tests::same_bits;
using tests::ScratchFolder;
using tests::small_layer;
using tests::text_of;

namespace {

template <class Layer>
void require_same_layer(const Layer& a, const Layer& b) {
    REQUIRE(same_coordinates(*a.topology(), *b.topology()));
    REQUIRE(same_bits(a.values(), b.values()));
    REQUIRE(same_bits(a.bias(), b.bias()));
    REQUIRE(a.options().seed == b.options().seed);
    REQUIRE(a.options().stream == b.options().stream);
    REQUIRE(a.options().rewire_count == b.options().rewire_count);
}

std::vector<Size> integers_of(const Safetensors& file, const char* name) {
    std::vector<Size> integers(static_cast<std::size_t>(file.at(name).elements));
    file.read_integers(file.at(name), 0, integers);
    return integers;
}

/// 2 x 3 with (0, 1) = 5, (1, 0) = 6, (1, 2) = 7, in another order: as other programs may write it.
template <class I>
io::SafetensorsWriter foreign_layer(const std::vector<I>& rows, const std::vector<I>& columns,
                                    const std::vector<double>& values, const std::vector<I>& shape) {
    io::SafetensorsWriter file;
    file.add("l.weight.rows", {std::ssize(rows)}, std::span(rows));
    file.add("l.weight.columns", {std::ssize(columns)}, std::span(columns));
    file.add("l.weight.values", {std::ssize(values)}, std::span(values));
    file.add("l.weight.shape", {std::ssize(shape)}, std::span(shape));
    return file;
}

}  // namespace

TEMPLATE_TEST_CASE("a layer comes back bit for bit", "[io]", HostLayer, ReferenceLayer) {
    using T = typename TestType::scalar;
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    TestType layer(ctx, {.in_features = 40, .out_features = 30, .sparsity = 0.8, .seed = ~0ull, .stream = 0xfffffffe});
    layer.rewire(ctx, MagnitudePruner{0.3}, UniformGrower{});
    layer.values()[0] = T{-0.0};
    layer.values()[1] = std::numeric_limits<T>::denorm_min();
    layer.values()[2] = std::numeric_limits<T>::quiet_NaN();
    layer.values()[3] = -std::numeric_limits<T>::infinity();
    layer.bias()[7] = T{-0.0};
    layer.bias()[8] = T{2.5};

    LayerFileWriter writer;
    writer.add(ctx, "fc1", layer);
    writer.write(folder.file("net"));
    const LayerFile file(folder.file("net"));

    REQUIRE(file.names() == std::vector<std::string>{"fc1"});
    require_same_layer(file.layer<TestType>(ctx, "fc1"), layer);
    REQUIRE(layer.options().seed == ~0ull);
    REQUIRE(layer.options().rewire_count == 1);
}

TEST_CASE("the tensors of a layer are those that the header names", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const CooMatrix<float> matrix(Topology::from_cells(3, 4, std::vector<Size>{1, 2, 8}),
                                  Buffer<float>(3, 1.5f, nullptr));
    const std::vector<float> bias{1, 2, 3};
    const HostLayer layer(ctx, matrix, bias, {.seed = 1ull << 63, .stream = 5, .rewire_count = 6});
    LayerFileWriter writer;
    writer.add(ctx, "net.fc", layer);
    writer.write(folder.file("net"));

    const Safetensors file(folder.file("net"));
    std::vector<std::string> listing;
    for (const io::TensorInfo& tensor : file.tensors()) {
        listing.push_back(tensor.name + " " + io::name_of(tensor.dtype) + " " + std::to_string(tensor.shape.at(0)));
        REQUIRE(tensor.shape.size() == 1);
    }
    REQUIRE(listing == std::vector<std::string>{"net.fc.bias F32 3", "net.fc.random_key U64 3",
                                                "net.fc.weight.columns I32 3", "net.fc.weight.row_offsets I64 4",
                                                "net.fc.weight.shape I64 2", "net.fc.weight.values F32 3"});
    REQUIRE(file.metadata() == io::Metadata{{"snack_layers", "1"}});
    REQUIRE(integers_of(file, "net.fc.weight.columns") == std::vector<Size>{1, 2, 0});
    REQUIRE(integers_of(file, "net.fc.weight.row_offsets") == std::vector<Size>{0, 2, 2, 3});
    REQUIRE(integers_of(file, "net.fc.weight.shape") == std::vector<Size>{3, 4});
    std::uint64_t key[3] = {};
    file.read_bytes(file.at("net.fc.random_key"), 0, std::as_writable_bytes(std::span(key)));
    REQUIRE((key[0] == 1ull << 63 && key[1] == 5 && key[2] == 6));
}

TEST_CASE("layers without connections, outputs or bias come back", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const HostLayer unconnected(ctx, {.in_features = 3, .out_features = 2, .nnz = 0});
    const HostLayer no_outputs(ctx, {.in_features = 3, .out_features = 0, .nnz = 0});
    const HostLayer no_inputs(ctx, {.in_features = 0, .out_features = 2, .nnz = 0, .bias = false});
    const HostLayer full(ctx, {.in_features = 3, .out_features = 2, .nnz = 6, .bias = false});
    LayerFileWriter writer;
    writer.add(ctx, "unconnected", unconnected);
    writer.add(ctx, "no_outputs", no_outputs);
    writer.add(ctx, "no_inputs", no_inputs);
    writer.add(ctx, "", full);
    writer.write(folder.file("net"));

    const LayerFile file(folder.file("net"));

    REQUIRE(file.names() == std::vector<std::string>{"", "no_inputs", "no_outputs", "unconnected"});
    require_same_layer(file.layer<HostLayer>(ctx, "unconnected"), unconnected);
    require_same_layer(file.layer<HostLayer>(ctx, "no_outputs"), no_outputs);
    require_same_layer(file.layer<HostLayer>(ctx, "no_inputs"), no_inputs);
    require_same_layer(file.layer<HostLayer>(ctx, ""), full);
    REQUIRE(!file.layer<HostLayer>(ctx, "").has_bias());
}

TEST_CASE("a file of one backend and type makes a layer of another", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const auto layer = small_layer<ReferenceLayer>(ctx);
    LayerFileWriter writer;
    writer.add(ctx, "l", layer);
    writer.write(folder.file("net"));

    const auto loaded = LayerFile(folder.file("net")).layer<HostLayer>(ctx, "l");

    REQUIRE(bits_of(loaded.values()) == bits_of(layer.values()));
    REQUIRE(tests::response(loaded) == tests::response(small_layer<HostLayer>(ctx)));
}

TEST_CASE("a layer for inference is loaded as one", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    LayerFileWriter writer;
    const auto layer = small_layer<HostLayer>(ctx);
    writer.add(ctx, "l", layer);
    writer.write(folder.file("net"));

    const auto loaded = LayerFile(folder.file("net")).layer<HostLayer>(ctx, "l", PlanUse::inference);

    REQUIRE(loaded.gradients().empty());
    REQUIRE(loaded.options().use == PlanUse::inference);
    REQUIRE(tests::response(loaded) == tests::response(layer));
}

TEMPLATE_TEST_CASE("connections of another program may stand in any order and width", "[io]", std::uint8_t,
                   std::int16_t, std::uint32_t, std::int64_t, std::uint64_t) {
    using I = TestType;
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const std::vector<I> rows{1, 0, 1};
    const std::vector<I> columns{2, 1, 0};
    const std::vector<I> shape{2, 3};
    const std::vector<double> values{7, 5, 6};
    foreign_layer<I>(rows, columns, values, shape).write(folder.file("net"));

    const auto layer = LayerFile(folder.file("net")).layer<HostLayer>(ctx, "l");

    REQUIRE(tests::cells_of_layer(layer) == std::vector<Size>{1, 3, 5});
    REQUIRE(tests::copy_of(layer.values()) == std::vector<float>{5, 6, 7});
    REQUIRE(!layer.has_bias());
    REQUIRE(layer.rewire_count() == 0);
}

TEST_CASE("state of an optimiser follows connections that stand in another order", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const std::vector<Size> rows{1, 0, 1};
    const std::vector<Size> columns{2, 1, 0};
    const std::vector<Size> shape{2, 3};
    const std::vector<double> values{7, 5, 6};
    const std::vector<float> velocity{70, 50, 60};
    io::SafetensorsWriter writer = foreign_layer<Size>(rows, columns, values, shape);
    writer.add("l.sgd.velocity", {3}, std::span(velocity));
    writer.write(folder.file("net"));

    const LayerFile file(folder.file("net"));
    const auto layer = file.layer<HostLayer>(ctx, "l");
    auto sgd = file.optimizer<Sgd<float>>(ctx, "l", layer, {.momentum = 0.9});

    REQUIRE(tests::copy_of(sgd.velocity()) == std::vector<float>{50, 60, 70});
}

TEST_CASE("a matrix without a layer is saved and loaded", "[io]") {
    const ScratchFolder folder;
    const CooMatrix<double> matrix(Topology::from_cells(2, 2, std::vector<Size>{0, 3}),
                                   Buffer<double>(2, 2.5, nullptr));
    const std::vector<double> bias{1, 2};
    LayerFileWriter writer;
    writer.add_matrix<double>("m", matrix, bias, {.seed = 3});
    writer.write(folder.file("net"));

    const LayerFile file(folder.file("net"));
    const CooMatrix<double> loaded = file.matrix<double>("m");

    REQUIRE(same_coordinates(*loaded.topology(), *matrix.topology()));
    REQUIRE(same_bits<double>(loaded.values(), matrix.values()));
    REQUIRE(file.bias<double>("m", 2).size() == 2);
    REQUIRE(file.random_key("m").seed == 3);
    REQUIRE_THROWS_AS(writer.add_matrix<double>("n", CooMatrix<double>()), UnsupportedError);
    REQUIRE_THROWS_AS(writer.add_matrix<double>("n", matrix, std::span(bias).first(1)), ShapeError);
}

TEST_CASE("what cannot be saved is refused", "[io]") {
    HostContext ctx({.threads = 1});
    auto layer = small_layer<HostLayer>(ctx);
    Sgd sgd(ctx, layer, {.momentum = 0.5});
    LayerFileWriter writer;

    layer.rewire(ctx, MagnitudePruner{0.5}, UniformGrower{});
    REQUIRE_THROWS_AS(writer.add(ctx, "l", layer, sgd), TopologyError);

    writer.add(ctx, "l", layer);
    REQUIRE_THROWS_AS(writer.add(ctx, "l", layer), ArgumentError);

    const HostLayer moved = std::move(layer);
    REQUIRE_THROWS_AS(writer.add(ctx, "m", layer), UnsupportedError);
}

TEST_CASE("layers keep their topology until they are written", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    auto layer = small_layer<HostLayer>(ctx);
    const HostLayer before = layer;
    LayerFileWriter writer;
    writer.add(ctx, "l", before);
    layer.rewire(ctx, MagnitudePruner{0.5}, UniformGrower{});

    writer.write(folder.file("net"));

    require_same_layer(LayerFile(folder.file("net")).layer<HostLayer>(ctx, "l"), before);
}

TEST_CASE("a later version of the naming is refused", "[io]") {
    const ScratchFolder folder;
    io::SafetensorsWriter writer;
    writer.set_metadata("snack_layers", "2");
    writer.write(folder.file("net"));

    REQUIRE(contains(text_of<UnsupportedError>([&] { LayerFile file(folder.file("net")); }),
                     "version '2' of snack_layers; 1 is known"));
}

TEST_CASE("an optimiser is loaded with the options and for the layer it was saved with, or not at all", "[io]") {
    const ScratchFolder folder;
    HostContext ctx({.threads = 1});
    auto layer = small_layer<HostLayer>(ctx);
    const Sgd sgd(ctx, layer, {.momentum = 0.5});
    const Adam adam(ctx, layer);
    LayerFileWriter writer;
    writer.add(ctx, "sgd", layer, sgd);
    writer.add(ctx, "adam", layer, adam);
    writer.add(ctx, "plain", layer);
    writer.write(folder.file("net"));
    const LayerFile file(folder.file("net"));
    const SgdOptions momentum{.momentum = 0.5};

    REQUIRE_NOTHROW(file.optimizer<Sgd<float>>(ctx, "sgd", layer, momentum));
    REQUIRE_NOTHROW(file.optimizer<Sgd<float>>(ctx, "plain", layer, SgdOptions{}));
    REQUIRE_NOTHROW(file.optimizer<Adam<float>>(ctx, "adam", layer, AdamOptions{}));
    REQUIRE(contains(text_of<FormatError>([&] { file.optimizer<Sgd<float>>(ctx, "plain", layer, momentum); }),
                     "has no tensor 'plain.sgd.velocity'"));
    REQUIRE(contains(text_of<FormatError>([&] { file.optimizer<Sgd<float>>(ctx, "sgd", layer, SgdOptions{}); }),
                     "tensor 'sgd.sgd.velocity' has 11 elements, 0 are wanted"));
    REQUIRE_THROWS_AS(file.optimizer<Adam<float>>(ctx, "sgd", layer, AdamOptions{}), FormatError);
    REQUIRE_THROWS_AS(file.optimizer<Adam<float>>(ctx, "adam", layer, AdamOptions{.beta1 = 2}), ArgumentError);

    layer.rewire(ctx, MagnitudePruner{0.5}, UniformGrower{});
    REQUIRE(contains(text_of<TopologyError>([&] { file.optimizer<Sgd<float>>(ctx, "sgd", layer, momentum); }),
                     "layer 'sgd' has other connections than the layer it is loaded for"));
}
