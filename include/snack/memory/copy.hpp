// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Copies of flat arrays between contexts, which may be of different memory spaces.

#include <type_traits>

#include <snack/core/span.hpp>

namespace snack::inline v0 {

/// Copies as many elements as `target` has. `source` lies in the space of `from`, `target` in that of `to`.
/// On a GPU the copy comes after the work so far on both streams, and before what either is given from then
/// on; one to the host waits for it.
template <class To, class From, class SourceSpan, class TargetSpan>
void copy_between(To& to, From& from, SourceSpan source, TargetSpan target) {
    if (target.empty()) {
        return;
    }
    if constexpr (std::is_same_v<typename From::space, HostSpace>) {
        to.copy_from_host(source, target);
    } else if constexpr (std::is_same_v<typename To::space, HostSpace>) {
        from.copy_to_host(source, target);
    } else {
        to.wait_for(from);
        to.copy(source, target);
        from.wait_for(to);
    }
}

}  // namespace snack::inline v0
