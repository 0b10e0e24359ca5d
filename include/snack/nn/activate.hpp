// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The activation of a forward pass, for backends that do not apply it themselves.

#include <snack/core/matrix_view.hpp>

namespace snack::inline v0::detail {

/// y = activation(y), element by element, through the context's parallel_ranges.
template <class Context, class T, class Space>
void activate(Context& ctx, MatrixView<T, Space> y, Activation activation) {
    if (activation == Activation::none) {
        return;
    }
    const bool by_sample = y.layout() == Layout::row_major;
    const Size lines = by_sample ? y.batch() : y.features();
    const Size length = by_sample ? y.features() : y.batch();
    ctx.parallel_ranges(lines, (1 << 15) / (length + 1) + 1, [=](Size begin, Size end) {
        for (Size line = begin; line < end; ++line) {
            T* const elements = y.data() + line * y.stride();
            for (Size i = 0; i < length; ++i) {
                elements[i] = elements[i] < T{0} ? T{0} : elements[i];  // NaN stays
            }
        }
    });
}

}  // namespace snack::inline v0::detail
