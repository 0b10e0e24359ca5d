// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The error of a kernel that broke a rule of the vocabulary, found on the host.

#include <snack/core/error.hpp>

namespace snack::inline v0::simt {

/// A kernel that would hang, read stale data or trap on a GPU. The text names the kernel, the
/// block, the threads and the lines of source where they are.
class SimtError : public Error {
public:
    using Error::Error;
};

}  // namespace snack::inline v0::simt
