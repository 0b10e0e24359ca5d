// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A borrowed dense matrix of activations, always (batch, features), in either layout.
// The paper writes activations as `features x batch` (section 3.1): that is `column_major` here.
// The memory space is part of the type, so a device pointer cannot reach host code.

#include <type_traits>

#include <snack/core/error.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0 {

enum class Layout {
    row_major,     ///< the features of one sample lie side by side; what most trainers hold
    column_major,  ///< the samples of one feature lie side by side; the paper's features x batch
};

/// Non-owning (batch, features) matrix with a 64-bit stride.
///
/// Element (sample, feature) is data[sample * stride + feature] in row_major and
/// data[feature * stride + sample] in column_major. The bytes between the lines of a strided
/// view are never read nor written. Trivially copyable; pass it by value.
template <class T, class Space = HostSpace>
class MatrixView {
public:
    MatrixView() = default;

    /// Contiguous: the stride is `features` (row_major) or `batch` (column_major).
    MatrixView(T* data, Size batch, Size features, Layout layout = Layout::row_major)
        : MatrixView(data, batch, features, layout, layout == Layout::row_major ? features : batch) {}

    /// @throws ShapeError for a negative extent, a stride shorter than a line, a null pointer to
    ///         elements, or an extent whose last element lies beyond 2^63.
    MatrixView(T* data, Size batch, Size features, Layout layout, Size stride)
        : data_(data), batch_(batch), features_(features), stride_(stride), layout_(layout) {
        require<ShapeError>(batch >= 0 && features >= 0, "MatrixView", "extent ", batch, " x ", features,
                            " is negative");
        const Size lines = layout == Layout::row_major ? batch : features;
        const Size line = layout == Layout::row_major ? features : batch;
        require<ShapeError>(stride >= line, "MatrixView", "stride ", stride, " is shorter than a line of ", line,
                            " elements");
        require<ShapeError>(data != nullptr || batch == 0 || features == 0, "MatrixView", "null data for ", batch,
                            " x ", features, " elements");
        Size last = 0;
        require<ShapeError>(!__builtin_mul_overflow(lines, stride, &last), "MatrixView", lines, " lines of stride ",
                            stride, " pass 2^63 elements");
    }

    /// A view of T converts to a view of const T.
    template <class U>
    requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) MatrixView(const MatrixView<U, Space>& other)
        : data_(other.data()),
          batch_(other.batch()),
          features_(other.features()),
          stride_(other.stride()),
          layout_(other.layout()) {}

    SNACK_HOST_DEVICE T* data() const { return data_; }
    SNACK_HOST_DEVICE Size batch() const { return batch_; }
    SNACK_HOST_DEVICE Size features() const { return features_; }
    SNACK_HOST_DEVICE Size stride() const { return stride_; }
    SNACK_HOST_DEVICE Layout layout() const { return layout_; }
    SNACK_HOST_DEVICE bool empty() const { return batch_ == 0 || features_ == 0; }

    /// Distance in elements from one sample, or one feature, to the next.
    SNACK_HOST_DEVICE Size sample_stride() const { return layout_ == Layout::row_major ? stride_ : 1; }
    SNACK_HOST_DEVICE Size feature_stride() const { return layout_ == Layout::row_major ? 1 : stride_; }

    /// Position of an element from data(), formed in 64 bits.
    SNACK_HOST_DEVICE Size offset(Size sample, Size feature) const {
        return sample * sample_stride() + feature * feature_stride();
    }
    SNACK_HOST_DEVICE T& operator()(Size sample, Size feature) const { return data_[offset(sample, feature)]; }

private:
    T* data_ = nullptr;
    Size batch_ = 0;
    Size features_ = 0;
    Size stride_ = 0;
    Layout layout_ = Layout::row_major;
};

/// The same elements as a matrix of `features` rows and `batch` columns.
template <class T, class Space>
MatrixView<T, Space> transposed(const MatrixView<T, Space>& view) {
    const Layout layout = view.layout() == Layout::row_major ? Layout::column_major : Layout::row_major;
    return {view.data(), view.features(), view.batch(), layout, view.stride()};
}

}  // namespace snack::inline v0
