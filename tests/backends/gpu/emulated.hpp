// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// GPU backends on the host launcher, in each order of threads: what the conformance suite is run for on a
// machine without a GPU. The order is no parameter of the context's type: the suite is compiled once for all.

#include <snack/memory/emulated_context.hpp>
#include <tests/support/backend_under_test.hpp>

namespace tests {

using snack::simt::ThreadOrder;

/// While it lives, kernels of each new OrderedContext run in the given order. It is made and ended while no other
/// thread makes one.
class KernelOrder {
public:
    explicit KernelOrder(ThreadOrder order) { current_ = order; }  // after before_ is set
    KernelOrder(const KernelOrder&) = delete;
    KernelOrder& operator=(const KernelOrder&) = delete;
    ~KernelOrder() { current_ = before_; }

    static ThreadOrder current() { return current_; }

private:
    static inline ThreadOrder current_ = ThreadOrder::ascending;
    const ThreadOrder before_ = current_;
};

class OrderedContext : public snack::simt::EmulatedContext {
public:
    OrderedContext() : OrderedContext(Options{}) {}
    explicit OrderedContext(Options options) : EmulatedContext(with_order(options)) {}

private:
    static Options with_order(Options options) {
        options.order = KernelOrder::current();
        options.seed = 5;
        return options;
    }
};

/// The conformance suite for `Backend`, a backend of OrderedContext, in one order.
template <class Backend, ThreadOrder Order>
struct InOrder;
template <class Backend, ThreadOrder Order>
struct Setting<InOrder<Backend, Order>> : KernelOrder {
    using backend = Backend;
    Setting() : KernelOrder(Order) {}
};

template <class Backend>
using Ascending = InOrder<Backend, ThreadOrder::ascending>;
template <class Backend>
using Descending = InOrder<Backend, ThreadOrder::descending>;
template <class Backend>
using Seeded = InOrder<Backend, ThreadOrder::seeded>;

}  // namespace tests
