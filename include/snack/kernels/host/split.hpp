// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Cuts rows (or columns) into tasks of about equal numbers of non-zeros.
// The cut depends on the matrix and the batch alone; since every output element is summed by one
// task in a fixed order, results do not depend on it or on the number of threads.

#include <snack/core/types.hpp>

namespace snack::inline v0::kernels {

/// First of `segments` segments that belongs to task number `task` of `tasks`: the one in which
/// the task's share of the non-zeros begins. offsets has segments + 1 elements.
inline Size segment_of_task(const Size* offsets, Size segments, Size task, Size tasks) {
    if (task <= 0) {
        return 0;
    }
    if (task >= tasks) {
        return segments;
    }
    // Each segment weighs its entries plus one, so that empty ones are shared out too.
    const Size total = offsets[segments] + segments;
    const Size wanted = total / tasks * task + total % tasks * task / tasks;
    Size low = 0;
    Size high = segments;
    while (low < high) {
        const Size middle = low + (high - low) / 2;
        if (offsets[middle] + middle < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// How many tasks a kernel over `nnz` entries and `segments` outputs is worth at this batch: one
/// below some ten microseconds of work, never more than there are segments or than 64.
inline Size tasks_for(Size nnz, Size segments, Size batch) {
    constexpr Size grain = 1 << 15;  // multiply-adds of one task
    const Size per_sample = nnz + segments;
    const Size wanted = batch > 0 && per_sample > 64 * grain / batch ? 64 : per_sample * batch / grain + 1;
    return wanted < segments ? wanted : (segments > 0 ? segments : 1);
}

}  // namespace snack::inline v0::kernels
