// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The gradient of the rectifier that a layer applies on its way out, in place.
// Element by element, so threads cannot change a result.

#include <snack/core/matrix_view.hpp>

namespace examples {

using snack::Size;

struct RectifyGradient {
    const float* y;
    float* dy;

    SNACK_HOST_DEVICE void operator()(Size i) const { dy[i] = y[i] == 0 ? 0 : dy[i]; }
};

/// dy = y > 0 ? dy : 0; y is a forward pass's result, so not negative.
/// @pre y and dy have the same layout and stride, and whole lines, whose padding may be written
template <class Context>
void relu_backward(Context& ctx, snack::MatrixView<const float, typename Context::space> y,
                   snack::MatrixView<float, typename Context::space> dy) {
    const Size lines = dy.layout() == snack::Layout::row_major ? dy.batch() : dy.features();
    ctx.for_each_index(lines * dy.stride(), RectifyGradient{y.data(), dy.data()});
}

}  // namespace examples
