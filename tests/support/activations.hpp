// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A (batch, features) matrix in memory of its own, at any layout, stride and address, with a
// marker in every element that does not belong to it. A kernel that touches one is caught.

#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include <snack/core/matrix_view.hpp>

namespace tests {

using snack::Layout;
using snack::Size;

/// How many cases to try: `small` is for kernels that run on the host, thread by thread, or under a tool.
enum class Effort { full, small };

/// Whether a tool that slows kernels down runs the tests, which says so by SNACK_TEST_EFFORT=small.
inline bool under_a_slow_tool() {
    const char* const asked = std::getenv("SNACK_TEST_EFFORT");
    return asked != nullptr && std::strcmp(asked, "small") == 0;
}

inline Effort effort_for(bool slow) {
    return slow || under_a_slow_tool() ? Effort::small : Effort::full;
}

/// Where a matrix lies: `padding` elements after each line, `shift` elements past a 64-byte boundary.
struct Placement {
    Layout layout = Layout::row_major;
    Size padding = 0;
    Size shift = 0;
};

inline std::vector<Placement> placement_battery(Effort effort = Effort::full) {
    if (effort == Effort::small) {
        return {{Layout::row_major, 3, 1}, {Layout::column_major, 5, 3}, {Layout::column_major, 0, 0}};
    }
    return {{Layout::row_major, 0, 0},
            {Layout::column_major, 0, 0},
            {Layout::row_major, 3, 1},
            {Layout::column_major, 5, 3},
            {Layout::column_major, 0, 2}};
}

template <class T>
class Activations {
public:
    Activations(Size batch, Size features, Placement placement, T fill = std::numeric_limits<T>::quiet_NaN())
        : batch_(batch), features_(features), placement_(placement) {
        const bool rows = placement.layout == Layout::row_major;
        stride_ = (rows ? features : batch) + placement.padding;
        storage_.assign(static_cast<std::size_t>((rows ? batch : features) * stride_ + placement.shift + 1), marker());
        for (Size sample = 0; sample < batch; ++sample) {
            for (Size feature = 0; feature < features; ++feature) {
                view()(sample, feature) = fill;
            }
        }
    }

    /// Elements from value(sample, feature).
    template <class Value>
    requires(!std::is_convertible_v<Value, T>) Activations(Size batch, Size features, Placement placement, Value value)
        : Activations(batch, features, placement) {
        for (Size sample = 0; sample < batch; ++sample) {
            for (Size feature = 0; feature < features; ++feature) {
                view()(sample, feature) = static_cast<T>(value(sample, feature));
            }
        }
    }

    snack::MatrixView<T> view() {
        return {storage_.data() + placement_.shift, batch_, features_, placement_.layout, stride_};
    }
    snack::MatrixView<const T> view() const {
        return {storage_.data() + placement_.shift, batch_, features_, placement_.layout, stride_};
    }
    T operator()(Size sample, Size feature) const { return view()(sample, feature); }

    /// Whether every element outside the matrix still holds its marker.
    bool surroundings_intact() const {
        std::vector<bool> inside(storage_.size());
        for (Size sample = 0; sample < batch_; ++sample) {
            for (Size feature = 0; feature < features_; ++feature) {
                inside[static_cast<std::size_t>(placement_.shift + view().offset(sample, feature))] = true;
            }
        }
        for (std::size_t i = 0; i < storage_.size(); ++i) {
            if (!inside[i] && storage_[i] != marker()) {
                return false;
            }
        }
        return true;
    }

    /// Same extents and the same bits, whatever the placement.
    bool same_bits(const Activations& other) const {
        bool same = batch_ == other.batch_ && features_ == other.features_;
        for (Size sample = 0; same && sample < batch_; ++sample) {
            for (Size feature = 0; same && feature < features_; ++feature) {
                const T a = (*this)(sample, feature);
                const T b = other(sample, feature);
                same = std::memcmp(&a, &b, sizeof a) == 0;
            }
        }
        return same;
    }

private:
    static T marker() { return T{-12345.5}; }

    Size batch_;
    Size features_;
    Placement placement_;
    Size stride_ = 0;
    std::vector<T> storage_;
};

}  // namespace tests
