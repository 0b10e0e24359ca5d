// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the host launcher says about a kernel that breaks a rule.

#include <string>

#include <snack/simt/simt_error.hpp>
#include <tests/simt/orders.hpp>
#include <tests/support/throws.hpp>

namespace tests {

/// Runs the kernel in each order; the text of the last error, each of which names the kernel.
template <class Kernel>
std::string fault_of(const Kernel& kernel, const snack::simt::LaunchShape& shape = {}) {
    std::string text;
    in_each_order([&](snack::simt::HostLauncher& launcher) {
        text = text_of<snack::simt::SimtError>([&] { launcher.run(shape, kernel); });
        CHECK(contains(text, Kernel::name));
    });
    return text;
}

}  // namespace tests
