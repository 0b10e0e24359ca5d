// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory goes out as it lies, and its owner lives until the receiver is done.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <snack/io/dlpack_export.hpp>
#include <snack/io/dlpack_import.hpp>
#include <tests/io/dlpack_producer.hpp>
#include <tests/support/catch.hpp>

using namespace tests;
using dlpack::DeviceType;
using dlpack::ImportedTensor;
using dlpack::ManagedTensor;
using dlpack::VersionedTensor;
using snack::CudaSpace;
using snack::DeviceSpan;

TEMPLATE_TEST_CASE("an exported view keeps its owner until the receiver is done", "[io][dlpack]", ManagedTensor,
                   VersionedTensor, ForeignManaged) {
    auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
    const std::weak_ptr<std::vector<float>> watch = owner;
    float* const data = owner->data();
    auto handle = dlpack::export_matrix<TestType>(MatrixView<float>(data, 2, 3, Layout::row_major, 4), owner);
    owner.reset();

    TestType* const tensor = handle.release();  // to another library, which reads it
    REQUIRE_FALSE(watch.expired());
    CHECK(tensor->dl_tensor.data == data);
    CHECK(static_cast<int>(tensor->dl_tensor.device.device_type) == 1);
    CHECK(tensor->dl_tensor.device.device_id == 0);
    CHECK(tensor->dl_tensor.ndim == 2);
    CHECK(tensor->dl_tensor.dtype.code == 2);
    CHECK(tensor->dl_tensor.dtype.bits == 32);
    CHECK(tensor->dl_tensor.dtype.lanes == 1);
    CHECK(tensor->dl_tensor.shape[0] == 2);
    CHECK(tensor->dl_tensor.shape[1] == 3);
    CHECK(tensor->dl_tensor.strides[0] == 4);
    CHECK(tensor->dl_tensor.strides[1] == 1);
    CHECK(tensor->dl_tensor.byte_offset == 0);
    CHECK(static_cast<float*>(tensor->dl_tensor.data)[4 + 2] == 7);

    tensor->deleter(tensor);
    CHECK(watch.expired());
}

TEST_CASE("an exported tensor that nobody takes frees itself", "[io][dlpack]") {
    auto owner = std::make_shared<int>(0);
    const std::weak_ptr<int> watch = owner;
    float data[4] = {};
    { const auto handle = dlpack::export_array(std::span(data), std::move(owner)); }
    CHECK(watch.expired());
}

TEMPLATE_TEST_CASE("what is exported comes back as it was", "[io][dlpack]", float, double) {
    std::vector<TestType> memory(40);
    const Layout layout = GENERATE(Layout::row_major, Layout::column_major);
    const MatrixView<TestType> view(memory.data(), 4, 5, layout, 7);

    const ImportedTensor tensor(dlpack::export_matrix(view, nullptr).release());
    const auto back = tensor.template matrix<TestType>();

    CHECK(back.data() == view.data());
    CHECK(back.batch() == 4);
    CHECK(back.features() == 5);
    CHECK(back.layout() == layout);
    CHECK(back.stride() == 7);
    const ImportedTensor flat(dlpack::export_array(std::span(memory), nullptr).release());
    CHECK(flat.template array<TestType>().data() == memory.data());
    CHECK(flat.template array<TestType>().size() == 40);
}

TEST_CASE("constants are exported as read-only", "[io][dlpack]") {
    const float data[6] = {};
    const auto handle = dlpack::export_matrix(MatrixView<const float>(data, 2, 3), nullptr);

    CHECK(handle->version.major == 1);
    CHECK(handle->flags == dlpack::read_only_flag);
    float writable[6] = {};
    CHECK(dlpack::export_matrix(MatrixView<float>(writable, 2, 3), nullptr)->flags == 0);
}

TEST_CASE("device memory is exported with its device", "[io][dlpack]") {
    float data[6] = {};  // stands for memory of a GPU: nobody looks at it
    const auto matrix =
        dlpack::export_matrix(MatrixView<float, CudaSpace>(data, 2, 3, Layout::column_major), nullptr, 5);
    const auto array = dlpack::export_array(DeviceSpan<float>(data, 6), nullptr, 4);

    CHECK(matrix->dl_tensor.device.device_type == DeviceType::cuda);
    CHECK(matrix->dl_tensor.device.device_id == 5);
    CHECK(matrix->dl_tensor.strides[0] == 1);
    CHECK(matrix->dl_tensor.strides[1] == 2);
    CHECK(array->dl_tensor.device.device_id == 4);
    CHECK(dlpack::export_matrix(MatrixView<float>(data, 2, 3), nullptr, 5)->dl_tensor.device.device_id == 0);
    CHECK(array->dl_tensor.ndim == 1);
}
