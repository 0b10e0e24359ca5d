// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the host launcher says about a kernel that breaks a rule.

#include <sys/wait.h>
#include <unistd.h>

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

#if SNACK_ADDRESS_SANITIZER
/// Runs a kernel in a process of its own, which must die; what it wrote to stderr.
template <class Kernel>
std::string last_words(const snack::simt::LaunchShape& shape, const Kernel& kernel,
                       const snack::simt::HostLauncher::Options& order = {}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        try {
            snack::simt::HostLauncher(order).run(shape, kernel);
        } catch (...) {
        }
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char bytes[512];
    for (ssize_t count; (count = read(ends[0], bytes, sizeof bytes)) > 0;) {
        text.append(bytes, static_cast<std::size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_FALSE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return text;
}
#endif

}  // namespace tests
