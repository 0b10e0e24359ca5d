// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Activations as the host kernels take them: tiles of samples, the samples of a feature side by
// side. They are used where they lie if they lie so, and packed into scratch space otherwise.

#include <cstdint>

#include <snack/core/matrix_view.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/pack.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::detail {

template <class T>
kernels::Lines<T> lines_of(const MatrixView<T>& view) {
    return {view.data(), view.sample_stride(), view.feature_stride()};
}

/// An operand to read, cut into tiles. Packed tiles follow one another, each (features, width).
template <class T>
struct Tiles {
    const T* data = nullptr;
    Size features = 0;
    Size stride = 0;  // between features where they lie; 0 means packed

    const T* at(Size sample) const { return data + (stride == 0 ? sample * features : sample); }
    Size feature_stride(Size width) const { return stride == 0 ? width : stride; }
};

/// The scratch slot of each operand of a host kernel.
enum class HostSlot : int { x, dy, lines };

/// How many lines of `length` elements make a task.
inline Size lines_per_task(Size length) {
    return (1 << 15) / (length + 1) + 1;
}

/// Whether tiles can be read where they lie: samples side by side and no padding at the end. For
/// random access, the lines of a tile must also follow one another and not straddle cache lines,
/// either of which would cost up to twice.
template <class T>
bool lies_in_tiles(const MatrixView<const T>& view, bool at_random) {
    const Size batch = view.batch();
    if (batch == 0) {
        return true;
    }
    const bool side_by_side = view.layout() == Layout::column_major || batch == 1;
    if (!side_by_side || kernels::padded_batch<T>(batch) != batch) {
        return false;
    }
    const auto line_bytes = static_cast<std::uintptr_t>(batch) * sizeof(T);
    return !at_random || (view.feature_stride() == batch && batch <= kernels::tile_samples<T> &&
                          reinterpret_cast<std::uintptr_t>(view.data()) % line_bytes == 0);
}

/// The tiles of an operand: the view itself, or a copy in scratch space.
template <class Isa, class T>
Tiles<T> tiles(HostContext& ctx, HostSlot slot, const MatrixView<const T>& view, bool at_random) {
    const Size batch = view.batch();
    const Size features = view.features();
    if (lies_in_tiles(view, at_random)) {
        return {view.data(), features, view.feature_stride()};
    }
    T* const to = ctx.scratch<T>(static_cast<int>(slot), kernels::padded_batch<T>(batch) * features).data();
    constexpr Size full = kernels::tile_samples<T>;
    const Size count = (batch + full - 1) / full;
    const Size grain = lines_per_task(full);
    const Size pieces = (features + grain - 1) / grain;
    ctx.parallel_for(count * pieces, [&](Size task) {
        const Size sample = task / pieces * full;
        const Size begin = task % pieces * grain;
        const Size end = begin + grain < features ? begin + grain : features;
        const Size samples = batch - sample < full ? batch - sample : full;
        const Size width = kernels::tile_width<T>(samples);
        kernels::pack_tile<Isa, T>(kernels::Lines<const T>(lines_of(view)).from(sample, begin), samples, width,
                                   end - begin, to + sample * features + begin * width, width);
    });
    return {to, features, 0};
}

}  // namespace snack::inline v0::detail
