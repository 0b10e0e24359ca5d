// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the dense baselines do besides matrix products, for one entry or element on its own, and the bias
// that an output begins with.

#include <algorithm>
#include <type_traits>

#include <snack/kernels/gpu/activations.hpp>
#include <snack/memory/grain.hpp>

namespace snack::inline v0::detail {

/// to(cell) = values[entry]
template <class T>
struct ScatterToCell {
    const T* values;
    T* to;
    SNACK_HOST_DEVICE void operator()(Size entry, Size cell) const { to[cell] = values[entry]; }
};

/// to(cell) = 1
template <class T>
struct MarkCell {
    T* to;
    SNACK_HOST_DEVICE void operator()(Size, Size cell) const { to[cell] = T{1}; }
};

/// dw[entry] = beta dw[entry] + gradient(cell); beta == 0 ignores what dw holds.
template <class T>
struct GatherFromCell {
    const T* gradient;
    T* dw;
    T beta;
    SNACK_HOST_DEVICE void operator()(Size entry, Size cell) const {
        dw[entry] = beta == 0 ? gradient[cell] : beta * dw[entry] + gradient[cell];
    }
};

/// to[i] = from[i] * mask[i]; `to` may be `from`.
template <class T>
struct MultiplyMask {
    const T* from;
    const T* mask;
    T* to;
    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] = from[i] * mask[i]; }
};

/// y(b, i) = bias[i]. On the host line by line, which a division for each element would slow down.
template <class Context, class T>
void write_bias(Context& ctx, const T* bias, const MatrixView<T, typename Context::space>& y) {
    if constexpr (std::is_same_v<typename Context::space, HostSpace>) {
        const bool row_major = y.layout() == Layout::row_major;
        const Size lines = row_major ? y.batch() : y.features();
        const Size length = row_major ? y.features() : y.batch();
        ctx.parallel_ranges(lines, lines_per_task(length), [=](Size begin, Size end) {
            for (Size line = begin; line < end; ++line) {
                T* const to = y.data() + line * y.stride();
                if (row_major) {
                    std::copy(bias, bias + length, to);
                } else {
                    std::fill(to, to + length, bias[line]);
                }
            }
        });
    } else {
        ctx.for_each_index(y.batch() * y.features(), kernels::gpu::BroadcastBias<T>(y, bias));
    }
}

}  // namespace snack::inline v0::detail
