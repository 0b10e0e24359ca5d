// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The activation of a forward pass, for backends that do not apply it themselves.

#include <snack/core/matrix_view.hpp>

namespace snack::inline v0::detail {

/// Rectifies element `i` of a matrix without its padding; NaN stays.
template <class T>
struct RectifyElement {
    T* elements;  // lines of `length`, `stride` apart
    Size length;
    Size stride;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        T& element = elements[i / length * stride + i % length];
        element = element < T{0} ? T{0} : element;
    }
};

/// The same for lines that follow one another.
template <class T>
struct RectifyContiguous {
    T* elements;

    SNACK_HOST_DEVICE void operator()(Size i) const { elements[i] = elements[i] < T{0} ? T{0} : elements[i]; }
};

/// y = activation(y), element by element, through the context's for_each_index.
template <class Context, class T, class Space>
void activate(Context& ctx, MatrixView<T, Space> y, Activation activation) {
    if (activation == Activation::none || y.empty()) {
        return;
    }
    const Size length = y.layout() == Layout::row_major ? y.features() : y.batch();
    const Size elements = y.batch() * y.features();
    if (y.stride() == length) {
        ctx.for_each_index(elements, RectifyContiguous<T>{y.data()});
    } else {
        ctx.for_each_index(elements, RectifyElement<T>{y.data(), length, y.stride()});
    }
}

}  // namespace snack::inline v0::detail
