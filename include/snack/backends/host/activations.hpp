// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Activations as the host kernels take them: tiles of samples, the samples of a feature side by
// side. They are used where they lie if that is not slower, and packed into scratch space otherwise.

#include <cstdint>

#include <snack/core/matrix_view.hpp>
#include <snack/kernels/host/batch_tile.hpp>
#include <snack/kernels/host/pack.hpp>
#include <snack/memory/grain.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0::detail::host {

template <class T>
kernels::host::Lines<T> lines_of(const MatrixView<T>& view) {
    return {view.data(), view.sample_stride(), view.feature_stride()};
}

/// The scratch slot of each operand of a host kernel.
enum class HostSlot : int { x, dy, lines };

inline Size smaller(Size a, Size b) {
    return a < b ? a : b;
}

/// How often a product comes back to each feature of x or dx: what decides whether to copy it.
inline Size uses_of_inputs(const Topology& topology) {
    return topology.nnz() / (topology.in_features() + 1);
}

/// Of an operand that is read from its first feature to its last, which no copy makes faster.
inline constexpr Size read_in_order = 0;

/// A copy to tiles costs as much as about so many uses lose by lines that straddle cache lines.
inline constexpr Size uses_for_alignment = 8;
/// The same for aligned tiles that do not follow one another, which are slower by 5 to 10 %.
inline constexpr Size uses_for_contiguity = 64;

/// Whether samples are taken one by one: only where the features of each lie side by side, and where
/// that costs less than to transpose them. In units of the time for one entry of one sample: a row costs 7
/// more; a tile's entry a twelfth of that for each sample, and to transpose a feature 4 and a sixth for each.
/// Measured from 200 to 20,000 features, with 200 to 40,000 entries.
template <class T>
bool sample_by_sample(const Topology& topology, const MatrixView<T>& view) {
    if (view.batch() <= 1 || view.layout() == Layout::column_major) {
        return false;
    }
    const auto batch = static_cast<double>(view.batch());
    const auto nnz = static_cast<double>(topology.nnz());
    const auto rows = static_cast<double>(topology.out_features());
    const double features = rows + static_cast<double>(topology.in_features());
    return batch * (nnz + 7 * rows) < features * (4 + batch / 6) + nnz * batch / 12;
}

/// Whether tiles are used where they lie: samples side by side, no padding at the end, and not so
/// often used that a copy pays.
template <class T>
bool lies_in_tiles(const MatrixView<T>& view, Size uses) {
    const Size batch = view.batch();
    if (batch == 0) {
        return true;
    }
    const bool side_by_side = view.layout() == Layout::column_major || batch == 1;
    if (!side_by_side || kernels::host::padded_batch<T>(batch) != batch) {
        return false;
    }
    const Size line = smaller(batch * static_cast<Size>(sizeof(T)), kernels::host::cache_line);
    const bool aligned = reinterpret_cast<std::uintptr_t>(view.data()) % static_cast<std::uintptr_t>(line) == 0 &&
                         view.feature_stride() * static_cast<Size>(sizeof(T)) % line == 0;
    const bool contiguous = view.feature_stride() == batch && batch <= kernels::host::tile_samples<T>;
    return uses < uses_for_alignment || (aligned && (contiguous || uses < uses_for_contiguity));
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
    T* const to = ctx.scratch<T>(static_cast<int>(slot), kernels::host::padded_batch<T>(batch) * features).data();
    constexpr Size full = kernels::host::tile_samples<T>;
    const Size count = (batch + full - 1) / full;
    constexpr Size grain = (1 << 13) / full;  // a few microseconds
    const Size pieces = (features + grain - 1) / grain;
    ctx.parallel_for(count * pieces, [&](Size task) {
        const Size sample = task / pieces * full;
        const Size begin = task % pieces * grain;
        const Size end = smaller(begin + grain, features);
        const Size samples = smaller(batch - sample, full);
        const Size width = kernels::host::tile_width<T>(samples);
        kernels::host::pack_tile<Isa, T>(lines_of(view).at(sample, begin), samples, width, end - begin,
                                         to + sample * features + begin * width, width);
    });
    return {to, features, 0};
}

}  // namespace snack::inline v0::detail::host
