// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs a check once in each order that the host can run a kernel's threads in.

#include <vector>

#include <snack/simt/host_launcher.hpp>
#include <tests/support/catch.hpp>

namespace tests {

inline constexpr snack::simt::HostLauncher::Options all_orders[] = {
    {.order = snack::simt::ThreadOrder::ascending},
    {.order = snack::simt::ThreadOrder::descending},
    {.order = snack::simt::ThreadOrder::seeded, .seed = 1},
    {.order = snack::simt::ThreadOrder::seeded, .seed = 2},
};

/// Calls check(launcher) with a launcher of each order.
template <class Check>
void in_each_order(const Check& check) {
    for (const snack::simt::HostLauncher::Options& options : all_orders) {
        CAPTURE(static_cast<int>(options.order), options.seed);
        snack::simt::HostLauncher launcher(options);
        check(launcher);
    }
}

/// `count` numbers 1/1, 1/2, 1/3, ...: sums of these depend on the order of additions.
template <class T>
std::vector<T> reciprocals(snack::Size count) {
    std::vector<T> numbers(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = T{1} / static_cast<T>(i + 1);
    }
    return numbers;
}

/// `count` numbers first, first + 1, ...
template <class T>
std::vector<T> counting(snack::Size count, T first = 0) {
    std::vector<T> numbers(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<T>(first + static_cast<T>(i));
    }
    return numbers;
}

}  // namespace tests
