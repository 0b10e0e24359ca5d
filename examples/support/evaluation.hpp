// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a trained network is worth: how many test images it gets right, and how long it takes over
// one of them. Nothing is drawn at random, so the first answer is the same every time.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <examples/support/batches.hpp>
#include <examples/support/fashion_mnist.hpp>
#include <examples/support/latency.hpp>
#include <examples/support/mlp.hpp>
#include <examples/support/softmax_cross_entropy.hpp>

namespace examples {

/// How many test images the network gets right.
template <class Context, class Network>
Size count_correct_images(Context& ctx, const Network& network, const FashionMnist& data, Workspace& work) {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(data.test.count));
    std::iota(order.begin(), order.end(), 0u);
    Size correct = 0;
    for (Size begin = 0; begin < data.test.count; begin += work.capacity()) {
        const Size batch = std::min(work.capacity(), data.test.count - begin);
        const auto at = static_cast<std::size_t>(begin);
        const auto samples = static_cast<std::size_t>(batch);
        work.set_batch(batch);
        gather_images(ctx, data, data.test, std::span(order).subspan(at, samples), work.input());
        network.forward(ctx, work);
        correct += count_correct(work.logits(), std::span(data.test.labels).subspan(at, samples));
    }
    return correct;
}

/// One test image after another through the network at batch 1.
template <class Context, class Network>
Latency measure_single_image(Context& ctx, const Network& network, const FashionMnist& data,
                             std::span<const Size> widths) {
    Workspace work(widths, 1);
    work.set_batch(1);
    std::uint32_t image = 0;
    const auto load = [&] {
        gather_images(ctx, data, data.test, std::span(&image, 1), work.input());
        image = (image + 1) % static_cast<std::uint32_t>(data.test.count);
    };
    return measure_latency(2000, load, [&] { network.forward(ctx, work); });
}

}  // namespace examples
