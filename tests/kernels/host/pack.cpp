// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles are copied out of activations in either layout and back, and padded with zeros.

#include <vector>

#include <snack/kernels/host/isa.hpp>
#include <snack/kernels/host/pack.hpp>
#include <tests/support/catch.hpp>

using snack::Size;
using namespace snack::kernels::host;

namespace {

constexpr Size batch = 11;
constexpr Size features = 37;

float element(Size sample, Size feature) {
    return static_cast<float>(100 * sample + feature + 1);
}

/// A matrix in one of the layouts, with a stride longer than a line.
struct Matrix {
    explicit Matrix(bool row_major) : data(50 * 50, -1.0f), lines{data.data(), row_major ? 50 : 1, row_major ? 1 : 50} {
        for (Size b = 0; b < batch; ++b) {
            for (Size f = 0; f < features; ++f) {
                *lines.at(b, f).data = element(b, f);
            }
        }
    }
    std::vector<float> data;
    Lines<float> lines;
};

}  // namespace

TEST_CASE("a packed tile holds its samples and zeros", "[kernels]") {
    for (const bool row_major : {true, false}) {
        const Matrix matrix(row_major);
        const Lines<const float> from{matrix.lines.data, matrix.lines.sample_stride, matrix.lines.feature_stride};
        for (const Size samples : {1, 3, 8}) {
            CAPTURE(row_major, samples);
            std::vector<float> to(features * 10, -2.0f);

            pack_tile<snack::isa::Current>(from.at(2, 0), samples, 8, features, to.data(), 10);

            for (Size f = 0; f < features; ++f) {
                for (Size b = 0; b < 10; ++b) {
                    const float want = b < samples ? element(2 + b, f) : (b < 8 ? 0.0f : -2.0f);
                    REQUIRE(to[static_cast<std::size_t>(f * 10 + b)] == want);
                }
            }
        }
    }
}

TEST_CASE("an unpacked tile writes its samples and nothing else", "[kernels]") {
    std::vector<float> tile(features * 10);
    for (std::size_t i = 0; i < tile.size(); ++i) {
        tile[i] = static_cast<float>(i) + 0.5f;
    }
    for (const bool row_major : {true, false}) {
        Matrix matrix(row_major);
        const std::vector<float> before = matrix.data;
        CAPTURE(row_major);

        unpack_tile<snack::isa::Current>(tile.data(), 10, 3, 8, features, matrix.lines.at(2, 0));

        std::size_t changed = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            changed += matrix.data[i] != before[i];
        }
        CHECK(changed == 3 * features);
        for (Size f = 0; f < features; ++f) {
            for (Size b = 0; b < 3; ++b) {
                REQUIRE(*matrix.lines.at(2 + b, f).data == tile[static_cast<std::size_t>(f * 10 + b)]);
            }
        }
    }
}

TEST_CASE("a cleared tile is zero up to its width", "[kernels]") {
    std::vector<float> tile(features * 10, 3.0f);

    clear_tile<snack::isa::Current>(tile.data(), 8, features, 10);

    for (std::size_t i = 0; i < tile.size(); ++i) {
        REQUIRE(tile[i] == (i % 10 < 8 ? 0.0f : 3.0f));
    }
}
