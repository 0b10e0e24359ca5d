// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Activations as kernels hold them, whatever their memory space, and the functors that begin an output
// with its bias or scale what it holds.

#include <snack/core/matrix_view.hpp>

namespace snack::inline v0::kernels::gpu {

/// Element (sample, feature) of a (batch, features) matrix; trivially copyable.
template <class T>
struct Activations {
    T* data = nullptr;
    Size sample_stride = 0;
    Size feature_stride = 0;

    Activations() = default;
    template <class Space>
    explicit Activations(const MatrixView<T, Space>& view)
        : data(view.data()), sample_stride(view.sample_stride()), feature_stride(view.feature_stride()) {}

    SNACK_HOST_DEVICE T& operator()(Size sample, Size feature) const {
        return data[sample * sample_stride + feature * feature_stride];
    }
};

/// y(b, i) = bias[i], or 0 without bias, for element number b * features + i, or i * batch + b where samples
/// lie side by side.
template <class T>
struct BroadcastBias {
    Activations<T> y;  // (batch, features)
    const T* bias;     // features, or null
    Size batch;
    Size features;

    template <class Space>
    BroadcastBias(const MatrixView<T, Space>& view, const T* with)
        : y(view), bias(with), batch(view.batch()), features(view.features()) {}

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const bool by_sample = y.feature_stride == 1;
        const Size sample = by_sample ? i / features : i % batch;
        const Size feature = by_sample ? i % features : i / batch;
        y(sample, feature) = bias == nullptr ? T{0} : bias[feature];
    }
};

/// matrix(row, column) *= factor, or = 0 for a factor of 0, for element number row * columns + column.
template <class T>
struct ScaleElement {
    Activations<T> matrix;
    Size columns;
    T factor;

    template <class Space>
    ScaleElement(const MatrixView<T, Space>& view, T by) : matrix(view), columns(view.features()), factor(by) {}

    SNACK_HOST_DEVICE void operator()(Size i) const {
        T& element = matrix(i / columns, i % columns);
        element = factor == 0 ? T{0} : factor * element;
    }
};

}  // namespace snack::inline v0::kernels::gpu
