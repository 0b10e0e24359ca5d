// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The columns of four entries that follow one another, in one load where they are 16 bits wide: loads
// are what the kernels are short of.

#include <cstdint>
#include <cstring>

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels::host {

template <class Column>
[[gnu::always_inline]] inline void load_columns(Size (&to)[4], const Column* columns) {
    if constexpr (sizeof(Column) == 2 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        std::uint64_t four;
        std::memcpy(&four, columns, sizeof four);
        for (int i = 0; i < 4; ++i) {
            to[i] = static_cast<Size>(four >> (16 * i) & 0xffffu);
        }
    } else {
        for (int i = 0; i < 4; ++i) {
            to[i] = static_cast<Size>(columns[i]);
        }
    }
}

}  // namespace snack::inline v0::kernels::host
