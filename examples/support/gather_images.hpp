// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A batch of images as the network's input: pixels looked up in a table of 256 numbers, from images at
// random places into lines of neighbouring samples.

#include <cstdint>

#include <examples/support/image_set.hpp>
#include <snack/core/matrix_view.hpp>

namespace examples {

/// Element number pixel * batch + sample of the input, which threads that are neighbours write side by side.
struct StandardisePixel {
    ChosenImages from;
    snack::MatrixView<float, snack::CudaSpace> x;  // (batch, pixels)

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const Size sample = i % x.batch();
        const Size pixel = i / x.batch();
        x(sample, pixel) = from.standardised[from.image(sample)[pixel]];
    }
};

/// Standardises the first x.batch() of the chosen images into x, (batch, pixels), overwritten. On a GPU.
template <class Context>
void gather_images(Context& ctx, const ChosenImages& from, snack::MatrixView<float, snack::CudaSpace> x) {
    ctx.for_each_index(x.batch() * x.features(), StandardisePixel{from, x});
}

/// The same on the host, where what costs is to wait for the images.
template <class Context>
void gather_images(Context& ctx, const ChosenImages& from, snack::MatrixView<float> x) {
    constexpr Size grain = 64;  // pixels: few enough that the lines of x they go to stay in L1
    constexpr Size ahead = 8;   // images: chosen at random, so no hardware prefetcher sees them coming
    ctx.parallel_ranges(from.pixels, grain, [&](Size begin, Size end) {
        for (Size sample = 0; sample < x.batch(); ++sample) {
            const std::uint8_t* next = from.image(sample + ahead < x.batch() ? sample + ahead : sample);
            __builtin_prefetch(next + begin);
            __builtin_prefetch(next + end - 1);
            const std::uint8_t* image = from.image(sample);
            float* to = x.data() + x.offset(sample, 0);
            const Size stride = x.feature_stride();
            for (Size pixel = begin; pixel < end; ++pixel) {
                to[pixel * stride] = from.standardised[image[pixel]];
            }
        }
    });
}

}  // namespace examples
