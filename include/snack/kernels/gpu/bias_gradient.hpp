// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The bias gradient: sums over the batch, in one order whatever the grid.

#include <snack/core/scalar.hpp>
#include <snack/kernels/gpu/activations.hpp>
#include <snack/kernels/gpu/warp_sum.hpp>

namespace snack::inline v0::kernels::gpu {

template <class T>
struct BiasOperands {
    Activations<const T> dy;  // (batch, features)
    Size batch;
    Size features;
    T* db;  // features
    T beta;
};

/// db[i] = beta db[i] + sum_b dy(b, i); a warp a feature. For samples that lie side by side.
template <class T>
struct BiasGradientAcrossLanes : BiasOperands<T> {
    static constexpr const char* name = "BiasGradientAcrossLanes";
    static constexpr int block_threads = 256;

    using BiasOperands<T>::dy;
    using BiasOperands<T>::batch;
    using BiasOperands<T>::features;
    using BiasOperands<T>::db;
    using BiasOperands<T>::beta;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size feature = thread.global_index() / simt::warp_size;
        if (feature >= features) {
            return;
        }
        Accumulator<T> sum = 0;
        for (Size sample = thread.lane(); sample < batch; sample += simt::warp_size) {
            sum += dy(sample, feature);
        }
        sum = warp_sum(thread, sum);
        if (thread.lane() == 0) {
            db[feature] = static_cast<T>(beta == 0 ? sum : beta * db[feature] + sum);
        }
    }

    simt::LaunchShape shape() const {
        return {.blocks_x = simt::blocks_for(features, block_threads / simt::warp_size)};
    }
};

/// The same with a thread a feature, for features that lie side by side.
template <class T>
struct BiasGradientByThread : BiasOperands<T> {
    static constexpr const char* name = "BiasGradientByThread";
    static constexpr int block_threads = 128;

    using BiasOperands<T>::dy;
    using BiasOperands<T>::batch;
    using BiasOperands<T>::features;
    using BiasOperands<T>::db;
    using BiasOperands<T>::beta;

    template <class Thread>
    SNACK_DEVICE void operator()(const Thread& thread) const {
        const Size feature = thread.global_index();
        if (feature >= features) {
            return;
        }
        Accumulator<T> sum = beta == 0 ? T{0} : beta * db[feature];
        for (Size sample = 0; sample < batch; ++sample) {
            sum += dy(sample, feature);
        }
        db[feature] = static_cast<T>(sum);
    }

    simt::LaunchShape shape() const { return {.blocks_x = simt::blocks_for(features, block_threads)}; }
};

}  // namespace snack::inline v0::kernels::gpu
