// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// GPU backends on the host launcher, for each order of threads: what the conformance suite is run for on a
// machine without a GPU.

#include <snack/memory/emulated_context.hpp>

namespace tests {

/// An EmulatedContext whose kernels run in a given order.
template <snack::simt::ThreadOrder Order>
class OrderedContext : public snack::simt::EmulatedContext {
public:
    OrderedContext() : OrderedContext(Options{}) {}
    explicit OrderedContext(Options options) : EmulatedContext(with_order(options)) {}

private:
    static Options with_order(Options options) {
        options.order = Order;
        options.seed = 5;
        return options;
    }
};

using Ascending = OrderedContext<snack::simt::ThreadOrder::ascending>;
using Descending = OrderedContext<snack::simt::ThreadOrder::descending>;
using Seeded = OrderedContext<snack::simt::ThreadOrder::seeded>;

}  // namespace tests
