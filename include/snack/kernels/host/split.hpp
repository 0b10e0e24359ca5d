// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Cuts rows (or columns) into tasks of about equal numbers of non-zeros, so that skewed rows do
// not leave a thread idle. Every output element is summed by one task in an order the cut does
// not change, so results depend neither on it nor on the number of threads.

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels::host {

/// First of `segments` segments that belongs to task number `task` of `tasks`: the one in which
/// the task's share begins. before(s) is the number of non-zeros in segments below s.
template <class Before>
Size segment_of_task(const Before& before, Size segments, Size task, Size tasks) {
    // Each segment weighs its entries plus one, so that empty ones are shared out too.
    const Size total = before(segments) + segments;
    const Size wanted = total / tasks * task + total % tasks * task / tasks;
    Size low = 0;
    Size high = segments;
    while (low < high) {
        const Size middle = low + (high - low) / 2;
        if (before(middle) + middle < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// How many tasks of some ten microseconds or more a kernel over `nnz` entries and `segments`
/// outputs is worth at this batch; at most `most`, and at least 1.
inline Size tasks_for(Size nnz, Size segments, Size batch, Size most) {
    constexpr Size grain = 1 << 15;  // multiply-adds of one task
    const Size limit = most < segments ? most : (segments > 0 ? segments : 1);
    Size work = 0;
    if (__builtin_mul_overflow(nnz + segments, batch, &work)) {
        return limit;
    }
    return work / grain < limit ? work / grain + 1 : limit;
}

}  // namespace snack::inline v0::kernels::host
