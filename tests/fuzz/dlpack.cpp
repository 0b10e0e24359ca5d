// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tensor of arbitrary fields is refused with a typed error, or its view has the elements where the fields say,
// and is the same after it went out and came in again. Nobody looks at its memory, which is not there.

#include <cstdint>
#include <cstring>
#include <span>

#include <snack/io/dlpack_export.hpp>
#include <snack/io/dlpack_import.hpp>
#include <tests/fuzz/memory_file.hpp>

using namespace snack;
namespace dlpack = snack::io::dlpack;

namespace {

/// What the bytes of the input are.
struct Fields {
    std::uint64_t data;
    std::int64_t shape[2];
    std::int64_t strides[2];
    std::uint64_t byte_offset;
    std::uint64_t flags;
    std::int32_t device_type;
    std::int32_t device_id;
    std::int32_t ndim;
    std::uint32_t major;
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
    std::uint8_t has_strides;
    std::uint8_t has_shape;
};

int freed = 0;

template <class T, class Space>
void check_matrix(const dlpack::ImportedTensor& tensor, const Fields& fields) {
    const MatrixView<T, Space> view = tensor.matrix<T, Space>(Layout::column_major);
    if (view.empty()) {
        return;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(view.data());
    fuzz::require_law(first == fields.data + fields.byte_offset && first % alignof(T) == 0, "where the elements begin");
    const Size last_sample = view.batch() - 1;
    const Size last_feature = view.features() - 1;
    const Size sample_stride = fields.has_strides != 0 ? fields.strides[0] : view.features();
    const Size feature_stride = fields.has_strides != 0 ? fields.strides[1] : 1;
    const Size samples = last_sample == 0 ? 0 : last_sample * sample_stride;
    const Size features = last_feature == 0 ? 0 : last_feature * feature_stride;
    fuzz::require_law(view.offset(last_sample, 0) == samples && view.offset(0, last_feature) == features,
                      "where the last elements are");

    const dlpack::ImportedTensor again(dlpack::export_matrix(view, nullptr).release());
    const MatrixView<T, Space> back = again.matrix<T, Space>(view.layout());
    fuzz::require_law(back.data() == view.data() && back.batch() == view.batch() &&
                          back.features() == view.features() &&
                          back.offset(last_sample, last_feature) == view.offset(last_sample, last_feature),
                      "out and in again");
}

template <class Call>
void attempt(const Call& call) {
    try {
        call();
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    Fields fields = {};
    std::memcpy(&fields, bytes, size < sizeof fields ? size : sizeof fields);
    dlpack::VersionedTensor from = {};
    from.version = {fields.major, 0};
    from.flags = fields.flags;
    from.deleter = [](dlpack::VersionedTensor*) { ++freed; };
    from.dl_tensor = {reinterpret_cast<void*>(fields.data),
                      {dlpack::DeviceType{fields.device_type}, fields.device_id},
                      fields.ndim,
                      {fields.code, fields.bits, fields.lanes},
                      fields.has_shape != 0 ? fields.shape : nullptr,
                      fields.has_strides != 0 ? fields.strides : nullptr,
                      fields.byte_offset};
    freed = 0;
    bool owned = false;
    attempt([&] {
        const dlpack::ImportedTensor tensor(&from);
        owned = true;
        attempt([&] { check_matrix<float, HostSpace>(tensor, fields); });
        attempt([&] { check_matrix<const float, HostSpace>(tensor, fields); });
        attempt([&] { check_matrix<const double, CudaSpace>(tensor, fields); });
        attempt([&] {
            const std::span<const float> array = tensor.array<const float>();
            fuzz::require_law(static_cast<Size>(array.size()) == fields.shape[0], "the extent of an array");
        });
    });
    fuzz::require_law(freed == (owned ? 1 : 0), "freed once");
    return 0;
}
