// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The gradient of the rectifier that a layer applies on its way out, in place.
// Element by element, so threads cannot change a result.

#include <snack/core/matrix_view.hpp>

namespace examples {

using snack::Size;

/// dy = y > 0 ? dy : 0, for y and dy of equal layout; y is a forward pass's result, so not negative.
template <class Context>
void relu_backward(Context& ctx, snack::MatrixView<const float> y, snack::MatrixView<float> dy) {
    const bool row_major = dy.layout() == snack::Layout::row_major;
    const Size lines = row_major ? dy.batch() : dy.features();
    const Size length = row_major ? dy.features() : dy.batch();
    ctx.parallel_ranges(lines, (1 << 15) / (length + 1) + 1, [&](Size begin, Size end) {
        for (Size line = begin; line < end; ++line) {
            const float* value = y.data() + line * y.stride();
            float* gradient = dy.data() + line * dy.stride();
            for (Size i = 0; i < length; ++i) {
                gradient[i] = value[i] == 0 ? 0 : gradient[i];
            }
        }
    });
}

}  // namespace examples
