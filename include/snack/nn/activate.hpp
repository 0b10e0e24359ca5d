// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The activation of a forward pass, for backends that do not apply it themselves.

#include <snack/core/matrix_view.hpp>
#include <snack/memory/grain.hpp>

namespace snack::inline v0::detail {

template <class Context, class T>
void rectify(Context& ctx, MatrixView<T> y) {
    if (y.empty()) {
        return;
    }
    const bool by_sample = y.layout() == Layout::row_major;
    const Size lines = by_sample ? y.batch() : y.features();
    const Size length = by_sample ? y.features() : y.batch();
    ctx.parallel_ranges(lines, lines_per_task(length), [=](Size begin, Size end) {
        for (Size line = begin; line < end; ++line) {
            T* const elements = y.data() + line * y.stride();
            for (Size i = 0; i < length; ++i) {
                elements[i] = elements[i] < T{0} ? T{0} : elements[i];  // NaN stays
            }
        }
    });
}

/// y = activation(y), element by element, through the context's parallel_ranges.
template <class Context, class T>
void activate(Context& ctx, MatrixView<T> y, Activation activation) {
    switch (activation) {
        case Activation::none:
            return;
        case Activation::relu:
            return rectify(ctx, y);
    }
}

}  // namespace snack::inline v0::detail
