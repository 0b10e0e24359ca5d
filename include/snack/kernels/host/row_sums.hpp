// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The bias gradient on the host: sums of dy over the batch in a fixed order, in either layout and
// without a copy.

#include <snack/kernels/host/pack.hpp>
#include <snack/kernels/host/vector.hpp>

namespace snack::inline v0::kernels::host {

/// db[f] = beta db[f] + sum over samples of dy(b, f), for `features` features.
template <class Isa, class T>
void row_sums(Lines<const T> dy, Size batch, Size features, T* db, T beta) {
    const auto write = [&](Size feature, T sum) { db[feature] = beta == 0 ? sum : beta * db[feature] + sum; };
    if (batch == 0) {
        for (Size f = 0; f < features; ++f) {
            write(f, T{0});
        }
        return;
    }
    if (dy.sample_stride == 1) {  // samples side by side: a register holds some of one feature
        constexpr int lanes = Isa::vector_bytes / static_cast<int>(sizeof(T));
        for (Size f = 0; f < features; ++f) {
            const T* const line = dy.data + f * dy.feature_stride;
            Vector<T, lanes> sums = {};
            Size b = 0;
            for (; batch - b >= lanes; b += lanes) {
                Vector<T, lanes> in;
                load<lanes>(in, line + b);
                sums += in;
            }
            T sum = sum_lanes<T, lanes>(sums);
            for (; b < batch; ++b) {
                sum += line[b];
            }
            write(f, sum);
        }
        return;
    }
    constexpr Size block = 64;  // features whose sums stay in registers
    for (Size begin = 0; begin < features; begin += block) {
        const Size count = features - begin < block ? features - begin : block;
        T sums[block] = {};
        for (Size b = 0; b < batch; ++b) {
            const T* const line = dy.data + b * dy.sample_stride + begin;
            for (Size f = 0; f < count; ++f) {
                sums[f] += line[f];
            }
        }
        for (Size f = 0; f < count; ++f) {
            write(begin + f, sums[f]);
        }
    }
}

}  // namespace snack::inline v0::kernels::host
