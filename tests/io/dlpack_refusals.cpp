// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a view cannot promise is refused by the field of the tensor that says so: type, device, flags, alignment, and
// whatever contradicts itself.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <snack/io/dlpack_import.hpp>
#include <tests/io/dlpack_producer.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace tests;
using dlpack::DeviceType;
using dlpack::ImportedTensor;
using snack::ArgumentError;
using snack::CudaSpace;
using snack::DeviceSpan;
using snack::Error;
using snack::FormatError;
using snack::ShapeError;
using snack::UnsupportedError;

TEST_CASE("a view of another type is refused by its name", "[io][dlpack]") {
    const std::pair<dlpack::DataType, const char*> cases[] = {
        {{2, 64, 1}, "float64"},
        {{2, 16, 1}, "float16"},
        {{4, 16, 1}, "bfloat16"},
        {{2, 32, 4}, "float32x4"},
        {{0, 32, 1}, "int32"},
        {{1, 8, 1}, "uint8"},
        {{5, 64, 1}, "complex64"},
        {{6, 8, 1}, "bool8"},
        {{3, 64, 1}, "handle64"},
        {{2, 32, 0}, "float32x0"},
        {{17, 4, 1}, "type code 17 of 4"},
    };
    for (const auto& [type, name] : cases) {
        Versioned producer;
        producer.fields().dtype = type;
        CHECK(text_of<UnsupportedError>([&] { ImportedTensor(&producer.tensor).matrix<const float>(); }) ==
              std::string("dlpack: dtype is ") + name + ", wanted float32");
    }
}

TEST_CASE("a view in a memory space takes that space's devices only", "[io][dlpack]") {
    Versioned producer;
    const auto host = [&](DeviceType type, int id) {
        producer.fields().device = {type, id};
        ImportedTensor(&producer.tensor).matrix<float>();
    };
    const auto cuda = [&](DeviceType type, int id, int wanted) {
        producer.fields().device = {type, id};
        const MatrixView<float, CudaSpace> view =
            ImportedTensor(&producer.tensor).matrix<float, CudaSpace>(Layout::row_major, wanted);
        CHECK(view.data() == producer.data);
        CHECK(ImportedTensor(&producer.tensor).matrix<float, CudaSpace>(Layout::row_major, wanted).batch() == 2);
    };

    CHECK_NOTHROW(host(DeviceType::cpu, 0));
    CHECK_NOTHROW(host(DeviceType::cuda_host, 0));
    CHECK_NOTHROW(host(DeviceType::cuda_managed, 1));
    CHECK(text_of<ArgumentError>([&] { host(DeviceType::cuda, 1); }) ==
          "dlpack: device is CUDA device 1, wanted the CPU");
    CHECK(text_of<ArgumentError>([&] { host(DeviceType::rocm, 0); }) ==
          "dlpack: device is device type 10, id 0, wanted the CPU");
    CHECK_THROWS_AS(host(DeviceType{0}, 0), ArgumentError);
    CHECK_THROWS_AS(host(DeviceType{-7}, 0), ArgumentError);

    CHECK_NOTHROW(cuda(DeviceType::cuda, 0, 0));
    CHECK_NOTHROW(cuda(DeviceType::cuda, 3, 3));
    CHECK_NOTHROW(cuda(DeviceType::cuda_host, 0, 3));
    CHECK_NOTHROW(cuda(DeviceType::cuda_managed, 0, 3));
    CHECK(text_of<ArgumentError>([&] { cuda(DeviceType::cuda, 1, 0); }) ==
          "dlpack: device is CUDA device 1, wanted CUDA device 0");
    CHECK(text_of<ArgumentError>([&] { cuda(DeviceType::cpu, 0, 0); }) ==
          "dlpack: device is the CPU, wanted CUDA device 0");
    CHECK_THROWS_AS(cuda(DeviceType::rocm_host, 0, 0), ArgumentError);
}

TEST_CASE("arrays of a GPU come as device spans", "[io][dlpack]") {
    Described producer({6}, {});
    producer.fields().device = {DeviceType::cuda, 2};

    const DeviceSpan<const float> values = ImportedTensor(&producer.tensor).array<const float, CudaSpace>(2);

    CHECK(values.data() == producer.data);
    CHECK(values.size() == 6);
    CHECK_THROWS_AS((ImportedTensor(&producer.tensor).array<float, CudaSpace>()), ArgumentError);
}

TEST_CASE("a read-only tensor gives views of constants only", "[io][dlpack]") {
    Versioned producer;
    producer.tensor.flags = 1;
    const ImportedTensor tensor(&producer.tensor);

    CHECK(tensor.read_only());
    CHECK(tensor.matrix<const float>().data() == producer.data);
    CHECK(contains(text_of<UnsupportedError>([&] { tensor.matrix<float>(); }), "dlpack: flags: "));
    Versioned copied;
    copied.tensor.flags = 2;  // is a copy
    CHECK_FALSE(ImportedTensor(&copied.tensor).read_only());
}

TEST_CASE("data off the boundary of its type are refused", "[io][dlpack]") {
    Versioned producer;
    producer.fields().byte_offset = 2;
    producer.shape[0] = 1;

    CHECK(text_of<UnsupportedError>([&] { ImportedTensor(&producer.tensor).matrix<float>(); }) ==
          "dlpack: data and byte_offset 2 are not aligned to 4 bytes");
}

TEST_CASE("a tensor that contradicts itself is refused", "[io][dlpack]") {
    const Size large = Size{1} << 40;
    Described negative({2, -3}, {});
    CHECK(text_of<FormatError>([&] { negative.matrix(); }) == "dlpack: shape[1] is -3");
    Described no_shape({2, 3}, {});
    no_shape.fields().shape = nullptr;
    CHECK(contains(text_of<FormatError>([&] { no_shape.matrix(); }), "shape is null"));
    Described no_data({2, 3}, {});
    no_data.fields().data = nullptr;
    CHECK(contains(text_of<FormatError>([&] { no_data.matrix(); }), "data is null"));
    Described no_dimensions({}, {});
    CHECK_THROWS_AS(no_dimensions.matrix(), ShapeError);
    no_dimensions.fields().ndim = -2;
    CHECK_THROWS_AS(no_dimensions.matrix(), ShapeError);

    CHECK_THROWS_AS(Described({large, large}, {}).matrix(), Error);
    CHECK_THROWS_AS(Described({Size{1} << 61, 2}, {}).matrix(), FormatError);
    CHECK_THROWS_AS(Described({3, 2}, {std::numeric_limits<Size>::max(), 1}).matrix(), FormatError);
    Described far({2, 3}, {});
    far.fields().byte_offset = ~std::uint64_t{0} - 3;
    CHECK(contains(text_of<FormatError>([&] { far.matrix(); }), "pass the end of memory"));
}
