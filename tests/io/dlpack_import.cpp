// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tensor is seen where it lies, in the layout that its strides say, and freed once, when its last user is done.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <snack/io/dlpack_import.hpp>
#include <tests/io/dlpack_producer.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace tests;
using dlpack::ImportedTensor;
using dlpack::ManagedTensor;
using dlpack::VersionedTensor;
using snack::ArgumentError;
using snack::ShapeError;
using snack::UnsupportedError;

TEMPLATE_TEST_CASE("an imported tensor is seen where it lies and freed once", "[io][dlpack]", ManagedTensor,
                   VersionedTensor, ForeignManaged) {
    Producer<TestType> producer;
    {
        ImportedTensor tensor(&producer.tensor);

        const MatrixView<float> x = tensor.template matrix<float>();

        CHECK(x.data() == producer.data);
        CHECK(x.batch() == 2);
        CHECK(x.features() == 3);
        CHECK(x.stride() == 3);
        CHECK(x.layout() == Layout::row_major);
        CHECK(producer.freed == 0);
    }
    CHECK(producer.freed == 1);
}

TEST_CASE("an imported tensor moves and is still freed once", "[io][dlpack]") {
    Versioned first;
    Versioned second;
    {
        ImportedTensor a(&first.tensor);
        ImportedTensor b(std::move(a));
        CHECK(b.matrix<float>().data() == first.data);
        ImportedTensor c(&second.tensor);
        c = std::move(b);
        CHECK(second.freed == 1);
        CHECK(first.freed == 0);
        CHECK(c.matrix<float>().data() == first.data);
    }
    CHECK(first.freed == 1);
    CHECK(second.freed == 1);
}

TEST_CASE("tensors of both kinds change places, and each is freed as its own kind", "[io][dlpack]") {
    Producer<ManagedTensor> old;
    Versioned producer;
    {
        ImportedTensor a(&old.tensor);
        ImportedTensor b(&producer.tensor);
        a.swap(b);
        CHECK(a.matrix<float>().data() == producer.data);
        CHECK(b.matrix<float>().data() == old.data);
    }
    CHECK(old.freed == 1);
    CHECK(producer.freed == 1);
}

TEST_CASE("a tensor without a deleter is left alone", "[io][dlpack]") {
    Versioned producer;
    producer.tensor.deleter = nullptr;

    CHECK_NOTHROW(ImportedTensor(&producer.tensor));
    CHECK(producer.freed == 0);
}

TEST_CASE("what is refused at the door still belongs to the caller", "[io][dlpack]") {
    Versioned producer;
    producer.tensor.version = {2, 3};
    producer.fields().shape = nullptr;

    CHECK(text_of<UnsupportedError>([&] { ImportedTensor{&producer.tensor}; }) == "dlpack: version is 2.3, wanted 1.x");
    CHECK(producer.freed == 0);
    CHECK(text_of<ArgumentError>([] { ImportedTensor{static_cast<VersionedTensor*>(nullptr)}; }) ==
          "dlpack: null tensor");
}

TEST_CASE("a view that cannot be made leaves the tensor owned", "[io][dlpack]") {
    Versioned producer;
    {
        const ImportedTensor tensor(&producer.tensor);
        REQUIRE_THROWS_AS(tensor.matrix<double>(), UnsupportedError);
        CHECK(producer.freed == 0);
        CHECK(tensor.matrix<float>().data() == producer.data);
    }
    CHECK(producer.freed == 1);
}

TEST_CASE("strides say which layout a tensor has", "[io][dlpack]") {
    const auto is = [](const MatrixView<const float>& view, Layout layout, Size stride) {
        return view.layout() == layout && view.stride() == stride;
    };
    const Layout rows = Layout::row_major;
    const Layout columns = Layout::column_major;

    CHECK(is(Described({4, 5}, {}).matrix(), rows, 5));
    CHECK(is(Described({4, 5}, {5, 1}).matrix(), rows, 5));
    CHECK(is(Described({4, 5}, {9, 1}).matrix(), rows, 9));
    CHECK(is(Described({4, 5}, {1, 4}).matrix(), columns, 4));
    CHECK(is(Described({4, 5}, {1, 7}).matrix(), columns, 7));
    CHECK(is(Described({4, 5}, {5, 1}).matrix(columns), rows, 5));
    CHECK(is(Described({4, 5}, {1, 4}).matrix(rows), columns, 4));
}

TEST_CASE("a single sample or feature is seen in the layout that is preferred", "[io][dlpack]") {
    const Size any = std::numeric_limits<Size>::min();  // the stride along one element means nothing
    const Layout columns = Layout::column_major;

    const MatrixView<const float> sample = Described({1, 5}, {any, 1}).matrix();
    CHECK(sample.layout() == Layout::row_major);
    CHECK(sample.offset(0, 4) == 4);
    const MatrixView<const float> features = Described({1, 5}, {any, 1}).matrix(columns);
    CHECK(features.layout() == columns);
    CHECK(features.offset(0, 4) == 4);
    const MatrixView<const float> strided_sample = Described({1, 5}, {0, 8}).matrix();
    CHECK(strided_sample.layout() == columns);
    CHECK(strided_sample.offset(0, 4) == 32);

    CHECK(Described({5, 1}, {1, any}).matrix().layout() == Layout::row_major);
    CHECK(Described({5, 1}, {1, any}).matrix().offset(4, 0) == 4);
    CHECK(Described({5, 1}, {1, any}).matrix(columns).offset(4, 0) == 4);
    CHECK(Described({5, 1}, {6, any}).matrix(columns).layout() == Layout::row_major);
    CHECK(Described({5, 1}, {6, any}).matrix(columns).offset(4, 0) == 24);
    CHECK(Described({1, 1}, {any, any}).matrix(columns).layout() == columns);
    CHECK(Described({1, 1}, {any, any}).matrix().stride() == 1);
}

TEST_CASE("strides that no view can have are refused", "[io][dlpack]") {
    const Size least = std::numeric_limits<Size>::min();
    const std::vector<std::vector<Size>> wrong = {{0, 1},  {1, 0},  {-5, 1}, {5, -1}, {1, -4}, {4, 1},    {1, 3},
                                                  {10, 2}, {2, 10}, {0, 0},  {1, 1},  {-1, 5}, {1, least}};
    for (const std::vector<Size>& strides : wrong) {
        CAPTURE(strides[0], strides[1]);
        CHECK(contains(text_of<ShapeError>([&] {
                           Described({4, 5}, strides).matrix();
                       }),
                       "dlpack: strides (" + std::to_string(strides[0]) + ", " + std::to_string(strides[1]) +
                           ") of shape (4, 5)"));
    }
    CHECK_THROWS_AS(Described({1, 5}, {1, 0}).matrix(), ShapeError);
    CHECK_THROWS_AS(Described({5, 1}, {-1, 1}).matrix(), ShapeError);
}

TEST_CASE("a tensor without elements needs neither memory nor sensible strides", "[io][dlpack]") {
    Described producer({0, 5}, {-1, 0});
    producer.fields().data = nullptr;
    producer.fields().byte_offset = 4;

    const MatrixView<const float> x = producer.matrix();

    CHECK(x.batch() == 0);
    CHECK(x.features() == 5);
    CHECK(x.data() == nullptr);
    Described flat({0}, {});
    flat.fields().data = nullptr;
    CHECK(ImportedTensor(&flat.tensor).array<float>().empty());
}

TEST_CASE("the first element lies at the byte offset", "[io][dlpack]") {
    Versioned producer;
    producer.fields().byte_offset = 8;
    producer.shape[1] = 1;

    const MatrixView<float> x = ImportedTensor(&producer.tensor).matrix<float>();

    CHECK(x(0, 0) == 3);
    CHECK(x(1, 0) == 6);
}

TEST_CASE("a flat array has one dimension and no gaps", "[io][dlpack]") {
    Described flat({6}, {1});
    CHECK(ImportedTensor(&flat.tensor).array<float>().data() == flat.data);
    CHECK(ImportedTensor(&flat.tensor).array<float>().size() == 6);
    Described compact({6}, {});
    CHECK(ImportedTensor(&compact.tensor).array<const float>().size() == 6);
    Described one({1}, {-9});
    CHECK(ImportedTensor(&one.tensor).array<float>().size() == 1);

    Described strided({3}, {2});
    CHECK(text_of<ShapeError>([&] { ImportedTensor(&strided.tensor).array<float>(); }) ==
          "dlpack: strides (2) of shape (3): a flat array has no gaps");
    Described matrix({2, 3}, {3, 1});
    CHECK(text_of<ShapeError>([&] { ImportedTensor(&matrix.tensor).array<float>(); }) == "dlpack: ndim is 2, wanted 1");
    CHECK(text_of<ShapeError>([&] { flat.matrix(); }) == "dlpack: ndim is 1, wanted 2");
}

TEST_CASE("coordinates come in as the integers that they are", "[io][dlpack]") {
    std::int64_t columns[3] = {4, 0, 2};
    Described producer({3}, {});
    producer.fields().data = columns;
    producer.fields().dtype = {0, 64, 1};

    CHECK(ImportedTensor(&producer.tensor).array<const std::int64_t>()[2] == 2);
    CHECK_THROWS_AS(ImportedTensor(&producer.tensor).array<const std::int32_t>(), UnsupportedError);
    CHECK_THROWS_AS(ImportedTensor(&producer.tensor).array<const std::uint64_t>(), UnsupportedError);
}
