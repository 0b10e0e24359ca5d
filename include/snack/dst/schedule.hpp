// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// When to rewire and how much: every so many steps, a fraction that fades along a cosine, frozen
// for the last part of training so that values settle (Evci et al. 2020; paper, appendix G freezes
// after epoch 25 of 40).

#include <numbers>

#include <snack/core/math.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// Rewires at steps `every`, 2 `every`, ... below `end`; none at step 0, none from `end` on. `end` must be set: how
/// long training goes on is not known here, and as it is, nothing is ever rewired.
struct RewireSchedule {
    Size every = 100;
    Size end = 0;           ///< the first step of the frozen phase, say 3/4 of all; 0: all of them are
    double fraction = 0.3;  ///< share of connections replaced at the start

    bool should_rewire(Size step) const { return every > 0 && step > 0 && step < end && step % every == 0; }

    /// fraction / 2 (1 + cos(pi step / end)): from `fraction` at step 0 to 0 at `end`.
    double fraction_at(Size step) const {
        if (step >= end) {
            return 0;
        }
        const double progress = static_cast<double>(step) / static_cast<double>(end);
        return fraction / 2 * (1 + math::cos(std::numbers::pi * progress));
    }
};

}  // namespace snack::inline v0
