// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The halves of a conversation with other programs, which interop_*.py hold: the folder is in SNACK_INTEROP. Hidden,
// for without the other half there is nothing to read.

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::HostLayer;

namespace {

std::string in_folder(const char* name) {
    const char* folder = std::getenv("SNACK_INTEROP");
    REQUIRE(folder != nullptr);
    return std::string(folder) + "/" + name;
}

/// Lowest, 0, 1 and highest of an integer type, under its name.
template <class T>
void add_limits(io::SafetensorsWriter& writer) {
    static const std::vector<T> limits{std::numeric_limits<T>::lowest(), 0, 1, std::numeric_limits<T>::max()};
    writer.add(io::name_of(io::dtype_of<T>()), {2, 2}, std::span(limits));
}

template <class... T>
void add_limits_of(io::SafetensorsWriter& writer) {
    (add_limits<T>(writer), ...);
}

/// 1, -2, the smallest and the largest number of a half type, from their bits.
void add_halves(io::SafetensorsWriter& writer, io::DType type, const std::vector<std::uint16_t>& bits) {
    writer.add(io::name_of(type), type, {std::ssize(bits)}, [bits](Size first, std::span<std::byte> to) {
        std::memcpy(to.data(), reinterpret_cast<const std::byte*>(bits.data()) + first, to.size());
    });
}

}  // namespace

TEST_CASE("interop: safetensors are written for other programs", "[.interop]") {
    const std::vector<float> floats{1.5f, -0.0f, 0x1p-149f, std::bit_cast<float>(0x7fc12345u), -INFINITY};
    const std::vector<double> doubles{0.1, -0.0, 0x1p-1074, std::bit_cast<double>(0x7ff8000012345678ull)};
    const std::vector<float> one{2.5f};
    io::SafetensorsWriter writer;
    add_limits_of<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(writer);
    add_limits_of<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(writer);
    writer.add("F32", {5}, std::span(floats));
    writer.add("F64", {2, 2, 1}, std::span(doubles));
    writer.add("one \"\xc3\xa9\"\n", {}, std::span(one));
    writer.add("none", {0, 3}, std::span(one).first(0));
    add_halves(writer, io::DType::F16, {0x3c00, 0xc000, 0x0001, 0x7bff});
    add_halves(writer, io::DType::BF16, {0x3f80, 0xc000, 0x0001, 0x7f7f});
    writer.add("BOOL", io::DType::BOOL, {2}, [](Size, std::span<std::byte> to) {
        to[0] = std::byte{0};
        to[1] = std::byte{1};
    });
    writer.set_metadata("written by", "snack \xe2\x82\xac \"\\\n");

    writer.write(in_folder("ours.safetensors"));
}

TEST_CASE("interop: a layer is written for other programs", "[.interop]") {
    HostContext ctx({.threads = 1});
    HostLayer layer(ctx, {.in_features = 9, .out_features = 7, .nnz = 20, .seed = ~0ull, .stream = 3},
                    [](const RandomKey&, const Connection& at) { return static_cast<double>(at.entry) - 8; });
    for (std::size_t i = 0; i < 7; ++i) {
        layer.bias()[i] = static_cast<float>(i) * 100;
    }
    const std::vector<float> response = tests::response(layer);  // to 1, 2, 3, ...
    io::LayerFileWriter writer;
    writer.add(ctx, "fc", layer);
    writer.tensors().add("response", {7}, std::span(response));

    writer.write(in_folder("our_layer.safetensors"));
}

TEST_CASE("interop: safetensors of other programs are read", "[.interop]") {
    const io::Safetensors file(in_folder("theirs.safetensors"));
    REQUIRE(file.metadata() == io::Metadata{{"written by", "numpy \xe2\x82\xac \"\\\n"}});
    for (const io::DType type : io::every_dtype) {
        const char* name = io::name_of(type);
        CAPTURE(name);
        const io::TensorInfo& tensor = file.at(name);
        REQUIRE(tensor.dtype == type);
        REQUIRE(tensor.shape == std::vector<Size>{2, 1});
        const Buffer<double> doubles = file.read<double>(tensor);
        const Buffer<float> floats = file.read<float>(tensor);
        REQUIRE((doubles[0] == 1 && floats[0] == 1));
        const double second = type == io::DType::BOOL ? 0 : io::is_integer(type) ? 100 : -1.5;
        REQUIRE((doubles[1] == second && floats[1] == static_cast<float>(second)));
    }
    REQUIRE(file.at("number").shape.empty());
    REQUIRE(file.at("none").shape == std::vector<Size>{3, 0});
    const Buffer<float> bits = file.read<float>(file.at("bits"));
    REQUIRE(std::bit_cast<std::uint32_t>(bits[0]) == 0x7fc12345u);
    REQUIRE(std::bit_cast<std::uint32_t>(bits[1]) == 0x80000000u);
    REQUIRE(std::bit_cast<std::uint32_t>(bits[2]) == 1u);
}

TEST_CASE("interop: a layer of another program is read", "[.interop]") {
    HostContext ctx({.threads = 1});
    const io::LayerFile file(in_folder("their_layer.safetensors"));
    const auto layer = file.layer<HostLayer>(ctx, "fc");
    const Buffer<float> wanted = file.tensors().read<float>(file.tensors().at("response"));

    REQUIRE(tests::response(layer) == std::vector<float>(wanted.begin(), wanted.end()));
}
