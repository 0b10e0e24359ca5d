// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Activations as the host kernels take them, `features x batch` with samples side by side:
// where they lie if they lie so, and packed into scratch space otherwise.

#include <snack/core/matrix_view.hpp>
#include <snack/kernels/host/transpose.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::detail {

/// (features, batch), samples side by side.
template <class T>
struct FeatureMajor {
    T* data = nullptr;
    Size stride = 0;
};

/// The scratch slot of each operand of a host kernel.
enum class HostSlot : int { x, dy, result, cursors };

template <class T>
bool lies_feature_major(const MatrixView<T>& view) {
    return view.layout() == Layout::column_major || view.batch() <= 1;
}

/// How many lines of `length` elements make a task.
inline Size lines_per_task(Size length) {
    return (1 << 15) / (length + 1) + 1;
}

/// An operand to read: the view itself, or a copy in scratch space.
template <class Isa, class T>
FeatureMajor<const T> packed(HostContext& ctx, HostSlot slot, const MatrixView<const T>& view) {
    if (lies_feature_major(view)) {
        return {view.data(), view.feature_stride()};
    }
    const Size batch = view.batch();
    T* const to = ctx.scratch<T>(static_cast<int>(slot), batch * view.features()).data();
    ctx.parallel_ranges(view.features(), lines_per_task(batch), [&](Size begin, Size end) {
        kernels::transpose<Isa>(view.data() + begin, view.stride(), to + begin * batch, batch, batch, end - begin);
    });
    return {to, batch};
}

/// A result to write: the view itself, or uninitialised scratch space that unpack() copies to it.
template <class T>
FeatureMajor<T> target(HostContext& ctx, const MatrixView<T>& view) {
    if (lies_feature_major(view)) {
        return {view.data(), view.feature_stride()};
    }
    const Size elements = view.batch() * view.features();
    return {ctx.scratch<T>(static_cast<int>(HostSlot::result), elements).data(), view.batch()};
}

template <class Isa, class T>
void unpack(HostContext& ctx, const FeatureMajor<T>& from, const MatrixView<T>& view) {
    if (lies_feature_major(view) || view.empty()) {
        return;
    }
    ctx.parallel_ranges(view.batch(), lines_per_task(view.features()), [&](Size begin, Size end) {
        kernels::transpose<Isa>(from.data + begin, from.stride, view.data() + begin * view.stride(), view.stride(),
                                view.features(), end - begin);
    });
}

}  // namespace snack::inline v0::detail
