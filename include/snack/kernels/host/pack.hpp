// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Copies a tile of samples between activations in either layout and the form the host kernels
// read at random: the samples of a feature side by side, one feature after the other.

#include <cstring>

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels {

/// Some samples and features of activations in either layout; element (b, f) is
/// data[b * sample_stride + f * feature_stride], and one of the strides is 1.
template <class T>
struct Lines {
    T* data = nullptr;
    Size sample_stride = 0;
    Size feature_stride = 0;

    Lines from(Size sample, Size feature) const {
        return {data + sample * sample_stride + feature * feature_stride, sample_stride, feature_stride};
    }
};

/// Features that are transposed together: a cache line of float each way.
inline constexpr Size transpose_block = 16;

/// to[f * to_stride + b] = from(b, f) for `samples` samples, and 0 from there up to `width`.
template <class Isa, class T>
void pack_tile(Lines<const T> from, Size samples, Size width, Size features, T* to, Size to_stride) {
    if (from.sample_stride == 1) {
        for (Size f = 0; f < features; ++f) {
            T* const line = to + f * to_stride;
            std::memcpy(line, from.data + f * from.feature_stride, static_cast<std::size_t>(samples) * sizeof(T));
            for (Size b = samples; b < width; ++b) {
                line[b] = T{0};
            }
        }
        return;
    }
    for (Size begin = 0; begin < features; begin += transpose_block) {
        const Size end = begin + transpose_block < features ? begin + transpose_block : features;
        for (Size b = 0; b < width; ++b) {
            const T* const line = from.data + b * from.sample_stride;
            for (Size f = begin; f < end; ++f) {
                to[f * to_stride + b] = b < samples ? line[f * from.feature_stride] : T{0};
            }
        }
    }
}

/// to[f * to_stride + b] = 0 for b below `width`.
template <class Isa, class T>
void clear_tile(T* to, Size width, Size features, Size to_stride) {
    for (Size f = 0; f < features; ++f) {
        std::memset(to + f * to_stride, 0, static_cast<std::size_t>(width) * sizeof(T));
    }
}

/// to(b, f) = from[f * from_stride + b] for `samples` samples.
template <class Isa, class T>
void unpack_tile(const T* from, Size from_stride, Size samples, Size features, Lines<T> to) {
    if (to.sample_stride == 1) {
        for (Size f = 0; f < features; ++f) {
            std::memcpy(to.data + f * to.feature_stride, from + f * from_stride,
                        static_cast<std::size_t>(samples) * sizeof(T));
        }
        return;
    }
    for (Size begin = 0; begin < features; begin += transpose_block) {
        const Size end = begin + transpose_block < features ? begin + transpose_block : features;
        for (Size b = 0; b < samples; ++b) {
            T* const line = to.data + b * to.sample_stride;
            for (Size f = begin; f < end; ++f) {
                line[f * to.feature_stride] = from[f * from_stride + b];
            }
        }
    }
}

}  // namespace snack::inline v0::kernels
