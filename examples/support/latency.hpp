// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How long one call takes when it is made over and over: the median, and the 99th percentile that
// a service has to promise.

#include <algorithm>
#include <vector>

#include <examples/support/progress.hpp>

namespace examples {

struct Latency {
    double median = 0;  ///< seconds
    double percentile99 = 0;
};

/// Waits for the work that a context has been given; on the host every call has ended when it returns.
template <class Context>
void synchronize(Context& ctx) {
    if constexpr (requires { ctx.synchronize(); }) {
        ctx.synchronize();
    }
}

/// Times each of `runs` calls of prepare(), which does not count, and call(), after a tenth as
/// many to warm up.
template <class Prepare, class Call>
Latency measure_latency(int runs, const Prepare& prepare, const Call& call) {
    std::vector<double> seconds;
    for (int run = -runs / 10; run < runs; ++run) {
        prepare();
        const Stopwatch watch;
        call();
        if (run >= 0) {
            seconds.push_back(watch.seconds());
        }
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds[seconds.size() * 99 / 100]};
}

}  // namespace examples
