// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Safetensors files that are what they should be: what is listed, and what elements become.

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <tests/io/safetensors_bytes.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using io::Safetensors;
using tests::bytes_of;
using tests::contains;
using tests::one_tensor;
using tests::safetensors_bytes;
using tests::source_of;
using tests::text_of;

namespace {

template <class T>
std::vector<T> elements_of(const Safetensors& file, const char* name) {
    const Buffer<T> elements = file.read<T>(file.at(name));
    return {elements.begin(), elements.end()};
}

/// The integers of tensor "a".
std::vector<Size> integers_of(const Safetensors& file) {
    std::vector<Size> integers(static_cast<std::size_t>(file.at("a").elements));
    file.read_integers(file.at("a"), 0, integers);
    return integers;
}

}  // namespace

TEST_CASE("tensors are listed by name, with type, shape and place", "[io]") {
    const std::string header = R"({"b":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                               R"("__metadata__":{"made by":"hand"},)"
                               R"("a":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})";
    const Safetensors file(source_of(safetensors_bytes(header, bytes_of<float>({1, 2}) + "xyz")));

    const auto begin = static_cast<Size>(8 + header.size());
    REQUIRE(file.tensors().size() == 2);
    const io::TensorInfo& a = file.tensors()[0];
    const io::TensorInfo& b = file.tensors()[1];
    REQUIRE((a.name == "a" && a.dtype == io::DType::U8 && a.shape == std::vector<Size>{3}));
    REQUIRE((a.elements == 3 && a.begin == begin + 8 && a.end == begin + 11));
    REQUIRE((b.name == "b" && b.dtype == io::DType::F32 && b.shape == std::vector<Size>{2, 1}));
    REQUIRE((b.elements == 2 && b.begin == begin && b.end == begin + 8));
    REQUIRE(&file.at("b") == &b);
    REQUIRE(file.find("c") == nullptr);
    REQUIRE(text_of<FormatError>([&] { file.at("c"); }) == "made.up: has no tensor 'c'");
    REQUIRE(file.metadata() == io::Metadata{{"made by", "hand"}});
}

TEST_CASE("a safetensors file may have no tensors, and spaces after its header", "[io]") {
    REQUIRE(Safetensors(source_of(safetensors_bytes("{}"))).tensors().empty());
    REQUIRE(Safetensors(source_of(safetensors_bytes("{}      "))).tensors().empty());
    REQUIRE(Safetensors(source_of(safetensors_bytes("{}" + std::string(200'000, ' ')))).tensors().empty());
    REQUIRE(Safetensors(source_of(safetensors_bytes(R"({"__metadata__":{}})"))).metadata().empty());
}

TEST_CASE("single numbers and tensors without elements are tensors", "[io]") {
    const Safetensors file(source_of(safetensors_bytes(R"({"after":{"dtype":"I64","shape":[0,7],"data_offsets":[4,4]},)"
                                                       R"("before":{"dtype":"F16","shape":[0],"data_offsets":[0,0]},)"
                                                       R"("one":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                                                       bytes_of<float>({2.5f}))));

    REQUIRE(elements_of<float>(file, "one") == std::vector<float>{2.5f});
    REQUIRE(elements_of<double>(file, "before").empty());
    REQUIRE(file.at("after").elements == 0);
    REQUIRE(elements_of<double>(file, "after").empty());
}

TEST_CASE("elements of every type become float and double", "[io]") {
    const auto check = [](const char* dtype, const std::string& data, const std::vector<double>& wanted) {
        CAPTURE(dtype);
        const Safetensors file = one_tensor(dtype, "[" + std::to_string(wanted.size()) + "]", data);
        REQUIRE(elements_of<double>(file, "a") == wanted);
        REQUIRE(elements_of<float>(file, "a") == std::vector<float>(wanted.begin(), wanted.end()));
    };
    check("F64", bytes_of<double>({0.5, -3, 0x1p100}), {0.5, -3, 0x1p100});
    check("F32", bytes_of<float>({0.5f, -3, 0x1p100f}), {0.5, -3, 0x1p100});
    check("F16", bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001}), {1, -2, 65504, 0x1p-24});
    check("BF16", bytes_of<std::uint16_t>({0x3f80, 0xc000, 0x4049, 0x0001}), {1, -2, 3.140625, 0x1p-133});
    check("I64", bytes_of<std::int64_t>({-1, 1 << 20}), {-1, 1 << 20});
    check("I32", bytes_of<std::int32_t>({-1, 1 << 20}), {-1, 1 << 20});
    check("I16", bytes_of<std::int16_t>({-1, 300}), {-1, 300});
    check("I8", bytes_of<std::int8_t>({-128, 127}), {-128, 127});
    check("U64", bytes_of<std::uint64_t>({1, 0xffffffffffffffff}), {1, 0x1p64});
    check("U32", bytes_of<std::uint32_t>({1, 0x80000000}), {1, 0x1p31});
    check("U16", bytes_of<std::uint16_t>({1, 65535}), {1, 65535});
    check("U8", bytes_of<std::uint8_t>({1, 255}), {1, 255});
    check("BOOL", bytes_of<std::uint8_t>({0, 1}), {0, 1});
}

TEST_CASE("a double becomes the nearest float", "[io]") {
    const Safetensors file = one_tensor("F64", "[4]", bytes_of<double>({0.1, 1e300, -1e300, 1 + 0x1p-25}));
    const float infinity = std::numeric_limits<float>::infinity();

    REQUIRE(elements_of<float>(file, "a") == std::vector<float>{0.1f, infinity, -infinity, 1});
}

TEST_CASE("NaN with its payload, -0 and subnormals keep their bits", "[io]") {
    const std::string floats = bytes_of<std::uint32_t>({0x7fc12345, 0xff800001, 0x80000000, 0x00000001, 0x7f800000});
    const Safetensors file = one_tensor("F32", "[5]", floats);
    const Buffer<float> read = file.read<float>(file.at("a"));
    REQUIRE(std::memcmp(read.data(), floats.data(), floats.size()) == 0);

    const std::string doubles = bytes_of<std::uint64_t>({0x7ff8000012345678, 0xfff0000000000001, 1ull << 63, 1});
    const Safetensors wide = one_tensor("F64", "[4]", doubles);
    const Buffer<double> wide_read = wide.read<double>(wide.at("a"));
    REQUIRE(std::memcmp(wide_read.data(), doubles.data(), doubles.size()) == 0);

    const Safetensors half = one_tensor("F16", "[3]", bytes_of<std::uint16_t>({0x8000, 0x03ff, 0x7e01}));
    const Buffer<float> from_half = half.read<float>(half.at("a"));
    REQUIRE(std::bit_cast<std::uint32_t>(from_half[0]) == 0x80000000);
    REQUIRE(from_half[1] == 1023 * 0x1p-24f);
    REQUIRE(std::bit_cast<std::uint32_t>(from_half[2]) == 0x7fc02000);
}

TEST_CASE("rows of a tensor are read one by one", "[io]") {
    const Safetensors file = one_tensor("I16", "[3,2]", bytes_of<std::int16_t>({1, 2, 3, 4, 5, 6}));
    std::vector<float> row(2);
    for (Size i = 0; i < 3; ++i) {
        file.read(file.at("a"), 2 * i, std::span(row));
        REQUIRE(row == std::vector<float>{static_cast<float>(2 * i + 1), static_cast<float>(2 * i + 2)});
    }

    file.read(file.at("a"), 6, std::span(row).first(0));
    REQUIRE(text_of<ShapeError>([&] { file.read(file.at("a"), 5, std::span(row)); }) ==
            "made.up: tensor 'a' has 6 elements; 2 from element 5 on are wanted");
    REQUIRE_THROWS_AS(file.read(file.at("a"), -1, std::span(row)), ShapeError);
    REQUIRE_THROWS_AS(file.read(file.at("a"), std::numeric_limits<Size>::max(), std::span(row)), ShapeError);
    REQUIRE_THROWS_AS(file.read_bytes(file.at("a"), 11, std::as_writable_bytes(std::span(row))), ShapeError);
}

TEST_CASE("pieces join without a seam where a tensor is long", "[io]") {
    constexpr Size count = 100'000;
    std::string data;
    for (Size i = 0; i < count; ++i) {
        data += static_cast<char>(i % 251);
    }
    const Safetensors file = one_tensor("U8", "[100000]", data);

    const std::vector<float> floats = elements_of<float>(file, "a");
    const std::vector<Size> integers = integers_of(file);
    bool equal = true;
    for (Size i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        equal = equal && floats[at] == static_cast<float>(i % 251) && integers[at] == i % 251;
    }
    REQUIRE(equal);
}

TEST_CASE("integers are read at any width, and none is bent to fit", "[io]") {
    REQUIRE(integers_of(one_tensor("I64", "[2]", bytes_of<std::int64_t>({-1, 1ll << 40}))) ==
            std::vector<Size>{-1, 1ll << 40});
    REQUIRE(integers_of(one_tensor("U32", "[1]", bytes_of<std::uint32_t>({0xffffffff}))) ==
            std::vector<Size>{0xffffffff});
    REQUIRE(integers_of(one_tensor("I8", "[1]", bytes_of<std::int8_t>({-5}))) == std::vector<Size>{-5});

    REQUIRE(text_of<FormatError>([&] {
                integers_of(one_tensor("U64", "[3]", bytes_of<std::uint64_t>({1, 1ull << 63, 2})));
            }) == "made.up: tensor 'a': element 1 passes 2^63 - 1");
    REQUIRE(contains(text_of<FormatError>([&] { integers_of(one_tensor("F32", "[1]", bytes_of<float>({1}))); }),
                     "tensor 'a' has dtype F32, integers are wanted"));
    REQUIRE(contains(text_of<FormatError>([&] { integers_of(one_tensor("BOOL", "[1]", std::string(1, '\1'))); }),
                     "tensor 'a' has dtype BOOL, integers are wanted"));
}

TEST_CASE("names are UTF-8, however they are written", "[io]") {
    const std::string entry = R"(:{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    const Safetensors file(source_of(safetensors_bytes(R"({"\u00e9\ud83d\ude00\"\\\n":)" + entry.substr(1) + R"(,"")" +
                                                       entry + ",\"\xc3\xa9\"" + entry + "}")));

    REQUIRE(file.find("\xc3\xa9\xf0\x9f\x98\x80\"\\\n") != nullptr);
    REQUIRE(file.find("\xc3\xa9") != nullptr);
    REQUIRE(file.find("") != nullptr);
}

TEST_CASE("a file that shrinks after it was opened is an error", "[io]") {
    const tests::ScratchFolder folder;
    const std::string path = folder.file("shrinking.safetensors");
    const std::string bytes =
        safetensors_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", bytes_of<float>({1, 2}));
    tests::write_file(path, bytes);
    const Safetensors file(path);

    tests::write_file(path, bytes.substr(0, bytes.size() - 4));

    REQUIRE(contains(text_of<FileError>([&] { file.read<float>(file.at("a")); }), path + ": byte "));
}

TEST_CASE("a source must be there, and a path must name a file", "[io]") {
    REQUIRE_THROWS_AS(Safetensors(std::shared_ptr<const io::Source>()), ArgumentError);
    REQUIRE_THROWS_AS(Safetensors("/nonexistent/file.safetensors"), FileError);
    REQUIRE_THROWS_AS(Safetensors("/"), FileError);
}
