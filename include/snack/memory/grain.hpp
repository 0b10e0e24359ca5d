// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How much work makes a task: enough that handing it to a thread does not matter.

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// How many lines of `length` elements make a task of some ten microseconds if each element is
/// touched once; at least 1.
inline Size lines_per_task(Size length) {
    return (1 << 15) / (length + 1) + 1;
}

}  // namespace snack::inline v0
