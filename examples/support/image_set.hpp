// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Labelled images where a context's operations read them, and the order in which they are visited. The
// order of an epoch is a pure function of seed and epoch, the same on every machine.

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <examples/support/fashion_mnist.hpp>
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

/// Images picked from a set, as functors hold them: pointers into memory of the set's context.
struct ChosenImages {
    const std::uint8_t* images;   // one after another, `pixels` each
    const std::uint8_t* labels;   // one for each image
    const float* standardised;    // 256, one for each value of a pixel
    const std::uint32_t* chosen;  // numbers of the images
    Size pixels;

    /// Of chosen image number `sample`.
    SNACK_HOST_DEVICE const std::uint8_t* image(Size sample) const { return images + Size{chosen[sample]} * pixels; }
    SNACK_HOST_DEVICE std::uint8_t label(Size sample) const { return labels[chosen[sample]]; }
};

/// A copy of labelled images in the memory space of Context.
template <class Context>
class ImageSet {
public:
    /// Visited in the order of the file until they are shuffled.
    ImageSet(Context& ctx, const LabelledImages& from, const std::array<float, 256>& standardised)
        : count_(from.count), pixels_(from.pixels), order_(static_cast<std::size_t>(from.count)) {
        std::iota(order_.begin(), order_.end(), 0u);
        images_ = copy_of(ctx, std::span<const std::uint8_t>(from.images));
        labels_ = copy_of(ctx, std::span<const std::uint8_t>(from.labels));
        standardised_ = copy_of(ctx, std::span<const float>(standardised));
        chosen_ = copy_of(ctx, std::span<const std::uint32_t>(order_));
    }

    Size count() const { return count_; }
    Size pixels() const { return pixels_; }

    void shuffle(Context& ctx, std::uint64_t seed, std::uint32_t epoch) {
        shuffle_epoch(seed, epoch, order_);
        ctx.copy_from_host(std::span<const std::uint32_t>(order_), chosen_.span());
    }

    /// The images from number `begin` of the order on.
    ChosenImages from(Size begin) const {
        return {images_.data(), labels_.data(), standardised_.data(), chosen_.data() + begin, pixels_};
    }

private:
    template <class T>
    using Buffer = typename Context::template buffer<T>;

    template <class T>
    static Buffer<T> copy_of(Context& ctx, std::span<const T> elements) {
        Buffer<T> copy = ctx.template allocate<T>(static_cast<Size>(elements.size()));
        ctx.copy_from_host(elements, copy.span());
        return copy;
    }

    Size count_;
    Size pixels_;
    std::vector<std::uint32_t> order_;
    Buffer<std::uint8_t> images_;
    Buffer<std::uint8_t> labels_;
    Buffer<float> standardised_;
    Buffer<std::uint32_t> chosen_;
};

}  // namespace examples
