// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a trained network is worth: how many test images it gets right, and how long it takes over
// one of them. Nothing is drawn at random, so the first answer is the same every time.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <examples/support/gather_images.hpp>
#include <examples/support/image_set.hpp>
#include <examples/support/latency.hpp>
#include <examples/support/mlp.hpp>
#include <examples/support/softmax_cross_entropy.hpp>

namespace examples {

/// How many images of the set the network gets right.
template <class Context, class Network>
Size count_correct_images(Context& ctx, const Network& network, const ImageSet<Context>& set,
                          Workspace<Context>& work) {
    auto right = ctx.template allocate<std::uint8_t>(set.count());
    for (Size begin = 0; begin < set.count(); begin += work.capacity()) {
        const Size batch = std::min(work.capacity(), set.count() - begin);
        work.set_batch(batch);
        gather_images(ctx, set.from(begin), work.input());
        network.forward(ctx, work);
        ctx.for_each_index(
            batch, CompareWithLabel<typename Context::space>{work.logits(), set.from(begin), right.data() + begin});
    }
    std::vector<std::uint8_t> fetched(static_cast<std::size_t>(set.count()));
    ctx.copy_to_host(std::as_const(right).span(), std::span(fetched));
    return std::count(fetched.begin(), fetched.end(), std::uint8_t{1});
}

/// One image of the set after another through the network at batch 1.
template <class Context, class Network>
Latency measure_single_image(Context& ctx, const Network& network, const ImageSet<Context>& set,
                             std::span<const Size> widths) {
    Workspace<Context> work(ctx, widths, 1);
    work.set_batch(1);
    Size image = 0;
    const auto load = [&] {
        gather_images(ctx, set.from(image), work.input());
        image = (image + 1) % set.count();
        synchronize(ctx);
    };
    const auto call = [&] {
        network.forward(ctx, work);
        synchronize(ctx);
    };
    return measure_latency(2000, load, call);
}

}  // namespace examples
