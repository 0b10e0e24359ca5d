// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The sum over the lanes of a warp, always in the same order.

#include <snack/core/types.hpp>
#include <snack/simt/launch_shape.hpp>

namespace snack::inline v0::kernels::gpu {

/// All lanes get the sum of all lanes' values; all must call it.
template <class Thread, class T>
SNACK_DEVICE T warp_sum(const Thread& thread, T value) {
    for (int mask = simt::warp_size / 2; mask > 0; mask /= 2) {
        value += thread.shuffle_xor(value, mask);
    }
    return value;
}

}  // namespace snack::inline v0::kernels::gpu
