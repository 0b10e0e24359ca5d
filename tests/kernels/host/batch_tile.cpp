// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of samples: wide enough for what is left, and never wider than needed by a factor of two.

#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/isa.hpp>
#include <tests/support/catch.hpp>

using snack::Size;
using namespace snack::kernels::host;

namespace {

template <class T>
void check() {
    for (Size left = 1; left <= 3 * tile_samples<T>; ++left) {
        CAPTURE(left);
        const Size width = tile_width<T>(left);
        REQUIRE((width >= left || width == tile_samples<T>));
        REQUIRE((width < 2 * left || width == 4));
        REQUIRE(padded_batch<T>(left) >= left);
        REQUIRE(padded_batch<T>(left) - left < tile_samples<T> / 2);
        Size called = 0;
        with_tile_width<T>(width, [&]<int Width>() {
            using Shape = TileShape<snack::isa::Current, T, Width>;
            static_assert(Shape::lanes * Shape::vectors == Width);
            called = Width;
        });
        REQUIRE(called == width);
    }
}

}  // namespace

TEST_CASE("a tile has room for the samples that are left", "[kernels]") {
    check<float>();
    check<double>();
}

TEST_CASE("batches of a tile's width are not padded", "[kernels]") {
    for (const Size batch : {0, 1, 4, 8, 16, 32, 64, 100}) {
        CHECK(padded_batch<float>(batch) == batch);
    }
    CHECK(padded_batch<float>(2) == 4);
    CHECK(padded_batch<float>(33) == 33);
    CHECK(padded_batch<float>(50) == 64);
    CHECK(padded_batch<double>(17) == 17);
}
