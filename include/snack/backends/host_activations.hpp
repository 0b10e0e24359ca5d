// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Activations as the host kernels take them: tiles of samples, the samples of a feature side by
// side. They are used where they lie if that is not slower, and packed into scratch space otherwise.

#include <cstdint>

#include <snack/core/matrix_view.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/pack.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::detail {

template <class T>
kernels::Lines<T> lines_of(const MatrixView<T>& view) {
    return {view.data(), view.sample_stride(), view.feature_stride()};
}

/// The scratch slot of each operand of a host kernel.
enum class HostSlot : int { x, dy, lines };

inline Size smaller(Size a, Size b) {
    return a < b ? a : b;
}

/// How many lines of `length` elements make a task.
inline Size lines_per_task(Size length) {
    return (1 << 15) / (length + 1) + 1;
}

/// How often a product comes back to each feature of its input: what decides whether to copy it.
inline Size uses_of_inputs(const Topology& topology) {
    return topology.nnz() / (topology.in_features() + 1);
}
inline constexpr Size used_in_order = 0;

/// Whether samples are better taken one by one where they lie: their features are side by side, and
/// too seldom used for a transposition to pay.
template <class T>
bool sample_by_sample(const Topology& topology, const MatrixView<T>& view) {
    return view.layout() == Layout::row_major && uses_of_inputs(topology) < 4;
}

/// Whether tiles can be used where they lie: samples side by side, no padding at the end, and not so
/// often used that a copy pays. A line that straddles cache lines costs up to twice, one that its
/// neighbour does not follow some 5 to 10 %; a copy costs as much as about eight uses.
template <class T>
bool lies_in_tiles(const MatrixView<T>& view, Size uses) {
    const Size batch = view.batch();
    if (batch == 0) {
        return true;
    }
    const bool side_by_side = view.layout() == Layout::column_major || batch == 1;
    if (!side_by_side || kernels::padded_batch<T>(batch) != batch) {
        return false;
    }
    const Size line = smaller(batch * static_cast<Size>(sizeof(T)), kernels::cache_line);
    const bool aligned = reinterpret_cast<std::uintptr_t>(view.data()) % static_cast<std::uintptr_t>(line) == 0 &&
                         view.feature_stride() * static_cast<Size>(sizeof(T)) % line == 0;
    const bool contiguous = view.feature_stride() == batch && batch <= kernels::tile_samples<T>;
    return uses < 8 || (aligned && (contiguous || uses < 64));
}

/// An operand cut into tiles. Packed tiles follow one another, each (features, width).
template <class T>
struct Tiles {
    T* data = nullptr;
    Size features = 0;
    Size stride = 0;  // between features where they lie; 0 means packed

    T* at(Size sample) const { return data + (stride == 0 ? sample * features : sample); }
    Size feature_stride(Size width) const { return stride == 0 ? width : stride; }
};

/// The tiles of an operand that is read: the view itself, or a copy in scratch space.
template <class Isa, class T>
Tiles<const T> tiles(HostContext& ctx, HostSlot slot, const MatrixView<const T>& view, Size uses) {
    const Size batch = view.batch();
    const Size features = view.features();
    if (lies_in_tiles(view, uses)) {
        return {view.data(), features, view.feature_stride()};
    }
    T* const to = ctx.scratch<T>(static_cast<int>(slot), kernels::padded_batch<T>(batch) * features).data();
    constexpr Size full = kernels::tile_samples<T>;
    const Size count = (batch + full - 1) / full;
    constexpr Size grain = (1 << 13) / full;  // a few microseconds
    const Size pieces = (features + grain - 1) / grain;
    ctx.parallel_for(count * pieces, [&](Size task) {
        const Size sample = task / pieces * full;
        const Size begin = task % pieces * grain;
        const Size end = smaller(begin + grain, features);
        const Size samples = smaller(batch - sample, full);
        const Size width = kernels::tile_width<T>(samples);
        kernels::pack_tile<Isa, T>(lines_of(view).from(sample, begin), samples, width, end - begin,
                                   to + sample * features + begin * width, width);
    });
    return {to, features, 0};
}

}  // namespace snack::inline v0::detail
