// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When the host backend copies an operand: whole tiles in aligned lines are read where they lie.

#include <snack/backends/host/activations.hpp>
#include <snack/kernels/host/isa.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/patterns.hpp>

using namespace tests;
using snack::HostContext;
using snack::Layout;
using snack::detail::host::HostSlot;
using snack::detail::host::lies_in_tiles;

namespace {

using View = snack::MatrixView<const float>;

alignas(64) constexpr float memory[100 * 128] = {};

}  // namespace

TEST_CASE("contiguous aligned tiles are used where they lie", "[backends]") {
    for (const Size batch : {1, 4, 8, 16, 32}) {
        CAPTURE(batch);
        CHECK(lies_in_tiles(View(memory, batch, 100, Layout::column_major), 1000));
    }
    CHECK(lies_in_tiles(View(memory, 1, 100, Layout::row_major), 1000));
}

TEST_CASE("what lies badly is used where it lies only if that is seldom", "[backends]") {
    const View unaligned(memory + 1, 32, 100, Layout::column_major);
    const View odd_stride(memory, 32, 100, Layout::column_major, 33);
    const View several_tiles(memory, 64, 100, Layout::column_major);
    for (const View& view : {unaligned, odd_stride, several_tiles}) {
        CHECK(lies_in_tiles(view, 2));
        CHECK_FALSE(lies_in_tiles(view, 1000));
    }
    CHECK(lies_in_tiles(several_tiles, 20));
    CHECK_FALSE(lies_in_tiles(odd_stride, 20));
}

TEST_CASE("tiles never lie in row-major samples, nor reach beyond the batch", "[backends]") {
    CHECK_FALSE(lies_in_tiles(View(memory, 2, 100, Layout::row_major), 0));
    for (const Size batch : {2, 3, 5, 33 + 1, 50}) {
        CAPTURE(batch);
        CHECK_FALSE(lies_in_tiles(View(memory, batch, 100, Layout::column_major), 0));
    }
}

TEST_CASE("packed tiles hold every sample, on a cache line", "[backends][threads]") {
    HostContext ctx({.threads = 2});
    constexpr Size batch = 70;
    constexpr Size features = 600;
    std::vector<float> x(batch * features);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i);
    }
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        const View view(x.data(), batch, features, layout);

        const auto tiles = snack::detail::host::tiles<snack::isa::Current>(ctx, HostSlot::x, view, 1000);

        Size wrong = 0;
        for (Size sample = 0; sample < batch; ++sample) {
            const Size tile = sample / 32 * 32;
            const Size width = snack::kernels::host::tile_width<float>(batch - tile);
            const float* at = tiles.at(tile);
            for (Size feature = 0; feature < features; ++feature) {
                wrong += at[feature * tiles.feature_stride(width) + sample - tile] != view(sample, feature);
            }
        }
        CHECK(wrong == 0);
        CHECK(reinterpret_cast<std::uintptr_t>(tiles.at(0)) % 64 == 0);
    }
}
