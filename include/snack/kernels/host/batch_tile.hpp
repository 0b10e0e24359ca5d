// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How the host kernels cut a batch: into tiles of samples that fill two cache lines for each feature,
// the last one narrower. Random access to a feature of a full tile then costs two whole lines.

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels::host {

inline constexpr int cache_line = 64;

/// Samples of a full tile: 32 floats or 16 doubles.
template <class T>
inline constexpr int tile_samples = 2 * cache_line / static_cast<int>(sizeof(T));

/// Samples the tile at which `left` samples are left makes room for: 1, 4, 8 ... up to a full tile.
template <class T>
constexpr Size tile_width(Size left) {
    if (left <= 1) {
        return 1;
    }
    Size width = 4;
    while (width < left && width < tile_samples<T>) {
        width *= 2;
    }
    return width;
}

/// Samples that the tiles of a batch make room for; the last tile may be padded.
template <class T>
constexpr Size padded_batch(Size batch) {
    const Size tail = batch % tile_samples<T>;
    return tail == 0 ? batch : batch - tail + tile_width<T>(tail);
}

/// Calls body.template operator()<Width>() for a width that tile_width() gives.
template <class T, class Body>
void with_tile_width(Size width, const Body& body) {
    constexpr int full = tile_samples<T>;
    if (width == 1) {
        body.template operator()<1>();
    } else if (width == 4) {
        body.template operator()<4>();
    } else if (width == 8) {
        body.template operator()<8>();
    } else if (width == 16 && full > 16) {
        body.template operator()<full / 2>();  // 16, since full is 32 here
    } else {
        body.template operator()<full>();
    }
}

/// The registers that hold a tile of Width samples.
template <class Isa, class T, int Width>
struct TileShape {
    static constexpr int widest = Isa::vector_bytes / static_cast<int>(sizeof(T));
    static constexpr int lanes = Width < widest ? Width : widest;
    static constexpr int vectors = Width / lanes;
};

}  // namespace snack::inline v0::kernels::host
