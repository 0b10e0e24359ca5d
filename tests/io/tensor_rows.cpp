// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a tensor in a file are those of its elements, of whatever number type; pruned from the file it is what
// it would be from memory.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <snack/io/sparsify.hpp>
#include <snack/io/sparsify_by_mask.hpp>
#include <snack/io/tensor_rows.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using namespace snack::io;
using tests::text_of;

namespace {

/// A file in memory with one tensor, `w`.
struct File {
    std::vector<std::byte> bytes;

    template <class Stored>
    File(const char* dtype, const std::string& shape, const std::vector<Stored>& elements) {
        const std::size_t data = elements.size() * sizeof(Stored);
        const std::string header = std::string("{\"w\":{\"dtype\":\"") + dtype + "\",\"shape\":" + shape +
                                   ",\"data_offsets\":[0," + std::to_string(data) + "]}}";
        const auto size = static_cast<std::uint64_t>(header.size());
        bytes.resize(8 + header.size() + data);
        std::memcpy(bytes.data(), &size, 8);
        std::memcpy(bytes.data() + 8, header.data(), header.size());
        if (data > 0) {
            std::memcpy(bytes.data() + 8 + header.size(), elements.data(), data);
        }
    }

    Safetensors open() const { return Safetensors(std::make_shared<MemorySource>(bytes, "w.safetensors")); }
};

template <class T>
std::vector<T> rows_of(const TensorRows& rows, Size first, Size count) {
    std::vector<T> to(static_cast<std::size_t>(count * rows.columns()));
    rows.read_rows(first, count, std::span(to));
    return to;
}

}  // namespace

TEST_CASE("rows of any number type are read from a file", "[io][tensor_rows]") {
    const auto check = [](const char* dtype, auto element) {
        using Stored = decltype(element);
        const File bytes(dtype, "[3,2]", std::vector<Stored>{1, 2, 3, 4, 5, 6});
        const Safetensors file = bytes.open();
        const TensorRows rows(file, file.at("w"));
        CAPTURE(dtype);
        CHECK(rows.rows() == 3);
        CHECK(rows.columns() == 2);
        CHECK(rows_of<float>(rows, 0, 3) == std::vector<float>{1, 2, 3, 4, 5, 6});
        CHECK(rows_of<double>(rows, 1, 1) == std::vector<double>{3, 4});
    };

    check("F64", double{});
    check("F32", float{});
    check("I64", std::int64_t{});
    check("I32", std::int32_t{});
    check("I16", std::int16_t{});
    check("I8", std::int8_t{});
    check("U64", std::uint64_t{});
    check("U32", std::uint32_t{});
    check("U16", std::uint16_t{});
    check("U8", std::uint8_t{});
    check("BOOL", std::uint8_t{});
}

TEST_CASE("half-precision weights are pruned as their values", "[io][tensor_rows]") {
    const File halves("F16", "[1,4]", std::vector<std::uint16_t>{0x3c00, 0xc000, 0x0001, 0x7c00});  // 1, -2, 2^-24, inf
    const File brains("BF16", "[2,2]", std::vector<std::uint16_t>{0x3f80, 0xc000, 0x0001, 0x7f80});
    const Safetensors half = halves.open();
    const Safetensors brain = brains.open();

    const auto pruned = sparsify<float>(TensorRows(half, half.at("w")), LargestMagnitudes{0.25});
    CHECK(std::vector<float>(pruned.values().begin(), pruned.values().end()) ==
          std::vector<float>{1, -2, std::numeric_limits<float>::infinity()});
    const auto columns = sparsify<double>(TensorRows(brain, brain.at("w")), LargestOfEachRow{0.5});
    CHECK(std::vector<double>(columns.values().begin(), columns.values().end()) ==
          std::vector<double>{-2, std::numeric_limits<double>::infinity()});
}

TEMPLATE_TEST_CASE("a file is pruned as memory is", "[io][tensor_rows]", float, double) {
    std::vector<TestType> elements(40 * 30);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = static_cast<TestType>(i * 7919 % 1201) - 600;
    }
    const File bytes(sizeof(TestType) == 4 ? "F32" : "F64", "[40,30]", elements);
    const Safetensors file = bytes.open();
    const DenseRows memory(MatrixView<const TestType>(elements.data(), 40, 30));
    SparsifyOptions options;
    options.buffer_bytes = GENERATE(0, 500, 1 << 20);
    const LargestMagnitudes rule{0.9};

    const auto matrix = sparsify<TestType>(TensorRows(file, file.at("w")), rule, options);

    const auto expected = sparsify<TestType>(memory, rule);
    CHECK(same_coordinates(*matrix.topology(), *expected.topology()));
    CHECK(std::equal(matrix.values().begin(), matrix.values().end(), expected.values().begin()));
}

TEST_CASE("a tensor of the file is the mask of a weight in memory", "[io][tensor_rows]") {
    const File bytes("BOOL", "[2,2]", std::vector<std::uint8_t>{0, 1, 1, 0});
    const Safetensors file = bytes.open();
    const float weight[] = {5, 6, 7, 8};

    const auto matrix =
        sparsify_by_mask<float>(DenseRows(MatrixView<const float>(weight, 2, 2)), TensorRows(file, file.at("w")));

    CHECK(std::vector<float>(matrix.values().begin(), matrix.values().end()) == std::vector<float>{6, 7});
}

TEST_CASE("a tensor that is no matrix is no weight", "[io][tensor_rows]") {
    const auto open = [](const char* shape) {
        const File bytes("F32", shape, std::vector<float>{1, 2, 3, 4});
        const Safetensors file = bytes.open();
        TensorRows(file, file.at("w"));
    };

    CHECK(text_of<UnsupportedError>([&] { open("[4]"); }) ==
          "w.safetensors: tensor 'w' has 1 dimensions, a weight has 2");
    CHECK_THROWS_AS(open("[2,1,2]"), UnsupportedError);
    CHECK_NOTHROW(open("[2,2]"));
}

TEST_CASE("rows without elements are not believed beyond the budget", "[io][tensor_rows]") {
    const File bytes("F32", "[2147483647,0]", std::vector<float>{});
    const Safetensors file = bytes.open();
    tests::reset_largest_new();

    CHECK(text_of<FormatError>([&] { TensorRows(file, file.at("w")); }) ==
          "w.safetensors: tensor 'w' has 2147483647 rows, 1048576 is the budget");
    CHECK(tests::largest_new() < 1 << 16);
    Budget wide;
    wide.features = 2147483647;
    CHECK_NOTHROW(TensorRows(file, file.at("w"), wide));
}

TEST_CASE("no rows are read from a file that is gone before them", "[io][tensor_rows]") {
    STATIC_REQUIRE(std::is_constructible_v<TensorRows, const Safetensors&, const TensorInfo&>);
    STATIC_REQUIRE(!std::is_constructible_v<TensorRows, Safetensors, const TensorInfo&>);
}
