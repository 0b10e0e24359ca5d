// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stacks of fibers where the system gives memory but no guard page, as it does when a process has as many
// mappings as it may have: here in a process whose every mprotect fails.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include <snack/simt/fiber.hpp>
#include <snack/simt/simt_error.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

enum Outcome { reported, silent, not_refused };

/// Makes every mprotect of this process fail from now on; false if the system does not let it.
bool refuse_mprotect() {
    sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter = {.len = 4, .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

Outcome make_stack_without_guard() {
    if (!refuse_mprotect()) {
        return not_refused;
    }
    try {
        const simt::FiberStack stack;
    } catch (const simt::SimtError& error) {
        return tests::contains(error.what(), "FiberStack: the system gives no guard page") ? reported : silent;
    }
    return silent;
}

}  // namespace

TEST_CASE("a stack without a guard page is an error", "[simt]") {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        _exit(make_stack_without_guard());
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == not_refused) {
        WARN("this system lets no process refuse itself mprotect");
        return;
    }
    CHECK(WEXITSTATUS(status) == reported);
}
