// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Copies a tile of samples between activations in either layout and the form the host kernels
// read at random: the samples of a feature side by side, one feature after the other.

#include <cstring>

#include <snack/core/types.hpp>
#include <snack/kernels/host/transpose.hpp>

namespace snack::inline v0::kernels::host {

/// Some samples and features of activations in either layout; element (b, f) is
/// data[b * sample_stride + f * feature_stride], and one of the strides is 1.
template <class T>
struct Lines {
    T* data = nullptr;
    Size sample_stride = 0;
    Size feature_stride = 0;

    Lines at(Size sample, Size feature) const {
        return {data + sample * sample_stride + feature * feature_stride, sample_stride, feature_stride};
    }
};

namespace detail {

/// The side of the squares a tile is transposed in: at most 32 bytes, which AVX has shuffles for.
template <class Isa, class T>
inline constexpr int square_side = (Isa::vector_bytes < 32 ? Isa::vector_bytes : 32) / static_cast<int>(sizeof(T));

/// to[f * to_stride + b] = from(b, f), and 0 where b is not below `samples`, for a square.
template <int Side, class T>
[[gnu::always_inline]] inline void pack_square(Lines<const T> from, Size samples, T* to, Size to_stride) {
    Vector<T, Side> square[Side];
    for (int b = 0; b < Side; ++b) {
        if (b < samples) {
            load<Side>(square[b], from.data + b * from.sample_stride);
        } else {
            square[b] = Vector<T, Side>{};
        }
    }
    transpose<Side, T>(square);
    for (int f = 0; f < Side; ++f) {
        store<Side>(square[f], to + f * to_stride);
    }
}

/// to(b, f) = from[f * from_stride + b] for b below `samples`, for a square.
template <int Side, class T>
[[gnu::always_inline]] inline void unpack_square(const T* from, Size from_stride, Size samples, Lines<T> to) {
    Vector<T, Side> square[Side];
    for (int f = 0; f < Side; ++f) {
        load<Side>(square[f], from + f * from_stride);
    }
    transpose<Side, T>(square);
    for (int b = 0; b < Side && b < samples; ++b) {
        store<Side>(square[b], to.data + b * to.sample_stride);
    }
}

}  // namespace detail

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
    constexpr int side = detail::square_side<Isa, T>;
    Size f = 0;
    if (width % side == 0 && from.feature_stride == 1) {
        for (; features - f >= side; f += side) {
            for (Size b = 0; b < width; b += side) {
                detail::pack_square<side>(from.at(b, f), samples - b, to + f * to_stride + b, to_stride);
            }
        }
    }
    for (; f < features; ++f) {
        for (Size b = 0; b < width; ++b) {
            to[f * to_stride + b] = b < samples ? *from.at(b, f).data : T{0};
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

/// to(b, f) = from[f * from_stride + b] for `samples` of `width` samples.
template <class Isa, class T>
void unpack_tile(const T* from, Size from_stride, Size samples, Size width, Size features, Lines<T> to) {
    if (to.sample_stride == 1) {
        for (Size f = 0; f < features; ++f) {
            std::memcpy(to.data + f * to.feature_stride, from + f * from_stride,
                        static_cast<std::size_t>(samples) * sizeof(T));
        }
        return;
    }
    constexpr int side = detail::square_side<Isa, T>;
    Size f = 0;
    if (width % side == 0 && to.feature_stride == 1) {
        for (; features - f >= side; f += side) {
            for (Size b = 0; b < samples; b += side) {
                detail::unpack_square<side>(from + f * from_stride + b, from_stride, samples - b, to.at(b, f));
            }
        }
    }
    for (; f < features; ++f) {
        for (Size b = 0; b < samples; ++b) {
            *to.at(b, f).data = from[f * from_stride + b];
        }
    }
}

}  // namespace snack::inline v0::kernels::host
