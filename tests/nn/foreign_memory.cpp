// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Contexts of two devices, each with memory that the other does not reach: what would mix them is refused.

#include <vector>

#include <snack/backends/gpu/coo_segmented.hpp>
#include <snack/memory/emulated_context.hpp>
#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <snack/nn/sparse_linear.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

/// The memory of a small device, which is given out once.
class DeviceMemory : public Allocator {
public:
    void* allocate(Size bytes, Size alignment) override {
        used_ = (used_ + alignment - 1) / alignment * alignment + bytes;
        REQUIRE(used_ <= size);
        return memory_.data() + used_ - bytes;
    }
    void deallocate(void*, Size, Size) noexcept override {}

    bool holds(const void* data) const { return data >= memory_.data() && data < memory_.data() + size; }

private:
    static constexpr Size size = 1 << 16;

    Buffer<unsigned char> memory_{size};
    Size used_ = 0;
};

class DeviceContext : public simt::EmulatedContext {
public:
    explicit DeviceContext(DeviceMemory& memory)
        : EmulatedContext({.threads = 1, .allocator = &memory}), memory_(&memory) {}

    void require_own(const char* where, const char* name, const void* data) const {
        require<ArgumentError>(memory_->holds(data), where, name, " lies on another device");
    }

private:
    DeviceMemory* memory_;
};

using Layer = SparseLinear<CooSegmentedBackend<DeviceContext>, float>;
constexpr LayerOptions options = {.in_features = 5, .out_features = 4, .sparsity = 0.5};

}  // namespace

TEST_CASE("a layer is not bound to memory of another device than its own", "[nn]") {
    DeviceMemory memory, other_memory;
    DeviceContext ctx(memory), other(other_memory);
    Layer layer(ctx, options);
    auto lent = other.allocate<float>(layer.nnz());
    const float* const before = layer.values().data();

    CHECK(tests::text_of<ArgumentError>([&] { layer.bind(ctx, {.values = lent.span()}); }) ==
          "SparseLinear::bind: values lies on another device");
    CHECK(tests::text_of<ArgumentError>([&] { layer.bind(other, {.values = lent.span()}); }) ==
          "SparseLinear::bind: the layer lies on another device");

    CHECK(layer.values().data() == before);
}

TEST_CASE("an optimiser is not made on another device than its layer's", "[nn]") {
    DeviceMemory memory, other_memory;
    DeviceContext ctx(memory), other(other_memory);
    Layer layer(ctx, options);

    CHECK(tests::text_of<ArgumentError>([&] { Sgd sgd(other, layer, {.momentum = 0.9}); }) ==
          "Sgd: the layer lies on another device");
    CHECK(tests::text_of<ArgumentError>([&] { Adam adam(other, layer); }) == "Adam: the layer lies on another device");

    Sgd sgd(ctx, layer, {.momentum = 0.9});
    CHECK_NOTHROW(sgd.step(ctx, layer));
    CHECK_THROWS_AS(sgd.step(other, layer), ArgumentError);
}
