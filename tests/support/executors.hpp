// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// An executor as a caller might lend it: it runs everything on the calling thread, last task
// first, as no pool of the library does, and counts its rounds.

#include <snack/memory/executor.hpp>

namespace tests {

class BackwardsExecutor final : public snack::Executor {
public:
    snack::Size rounds = 0;
    int concurrency() const noexcept override { return 5; }
    void parallel_for(snack::Size tasks, snack::TaskRef task) override {
        ++rounds;
        for (snack::Size i = tasks; i-- > 0;) {
            task(i);
        }
    }
};

}  // namespace tests
