// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The rectifier between two layers, in place, forward and backward.
// Element by element, so threads cannot change a result.

#include <snack/core/matrix_view.hpp>

namespace examples {

using snack::Size;

namespace detail {

/// Calls body(line, its length) for each line of the view, in tasks of about so many elements.
template <class Context, class T, class Body>
void for_each_line(Context& ctx, const snack::MatrixView<T>& view, Size elements, const Body& body) {
    const bool row_major = view.layout() == snack::Layout::row_major;
    const Size lines = row_major ? view.batch() : view.features();
    const Size length = row_major ? view.features() : view.batch();
    ctx.parallel_ranges(lines, elements / (length + 1) + 1, [&](Size begin, Size end) {
        for (Size line = begin; line < end; ++line) {
            body(line, length);
        }
    });
}

}  // namespace detail

/// y = max(y, 0); NaN stays.
template <class Context>
void relu(Context& ctx, snack::MatrixView<float> y) {
    // y has just been written and lies in cache: 100,000 elements take less time than waking a thread.
    detail::for_each_line(ctx, y, 1 << 17, [&](Size line, Size length) {
        float* at = y.data() + line * y.stride();
        for (Size i = 0; i < length; ++i) {
            at[i] = at[i] < 0 ? 0 : at[i];
        }
    });
}

/// dy = 0 where the rectifier gave 0; `y` is what it gave. Both views share layout and extent.
template <class Context>
void relu_backward(Context& ctx, snack::MatrixView<const float> y, snack::MatrixView<float> dy) {
    detail::for_each_line(ctx, dy, 1 << 15, [&](Size line, Size length) {
        const float* value = y.data() + line * y.stride();
        float* gradient = dy.data() + line * dy.stride();
        for (Size i = 0; i < length; ++i) {
            gradient[i] = value[i] == 0 ? 0 : gradient[i];
        }
    });
}

}  // namespace examples
