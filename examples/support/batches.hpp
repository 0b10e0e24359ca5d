// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The order in which an epoch visits the images, and one batch of them as the network's input.
// The order is a pure function of seed and epoch, the same on every machine.

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <examples/support/fashion_mnist.hpp>
#include <snack/core/matrix_view.hpp>
#include <snack/core/random.hpp>

namespace examples {

/// A number below `bound`, every one equally likely; `draw` counts the numbers used of the key.
inline Size random_below(const snack::RandomKey& key, std::uint64_t& draw, Size bound) {
    Size number = -1;
    while (number < 0) {
        number = snack::bounded_draw(snack::random_bits(key, draw++), static_cast<std::uint64_t>(bound));
    }
    return number;
}

/// Fills `order` with 0, 1, ... shuffled (Fisher and Yates).
inline void shuffle_epoch(std::uint64_t seed, std::uint32_t epoch, std::span<std::uint32_t> order) {
    const snack::RandomKey key{seed, epoch, snack::Purpose::user, 0};
    std::iota(order.begin(), order.end(), 0u);
    std::uint64_t draw = 0;
    for (std::size_t left = order.size(); left > 1; --left) {
        std::swap(order[left - 1], order[static_cast<std::size_t>(random_below(key, draw, static_cast<Size>(left)))]);
    }
}

/// Standardises the images number `chosen` into x, (chosen.size(), pixels), overwritten.
template <class Context>
void gather_images(Context& ctx, const FashionMnist& data, const LabelledImages& from,
                   std::span<const std::uint32_t> chosen, snack::MatrixView<float> x) {
    constexpr Size grain = 64;  // pixels: few enough that the lines of x they go to stay in L1
    constexpr Size ahead = 8;   // images: chosen at random, so no hardware prefetcher sees them coming
    const float* const standardised = data.standardised.data();
    const auto image_of = [&](Size sample) { return from.images.data() + Size{chosen.data()[sample]} * from.pixels; };
    ctx.parallel_ranges(from.pixels, grain, [&](Size begin, Size end) {
        for (Size sample = 0; sample < x.batch(); ++sample) {
            const std::uint8_t* next = image_of(sample + ahead < x.batch() ? sample + ahead : sample);
            __builtin_prefetch(next + begin);
            __builtin_prefetch(next + end - 1);
            const std::uint8_t* image = image_of(sample);
            float* to = x.data() + x.offset(sample, 0);
            const Size stride = x.feature_stride();
            for (Size pixel = begin; pixel < end; ++pixel) {
                to[pixel * stride] = standardised[image[pixel]];
            }
        }
    });
}

/// Overwrites `labels` with those of the images number `chosen`.
inline void gather_labels(const LabelledImages& from, std::span<const std::uint32_t> chosen,
                          std::span<std::uint8_t> labels) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        labels[i] = from.labels[chosen[i]];
    }
}

}  // namespace examples
