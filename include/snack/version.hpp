// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The version of the library, as parts, as one integer and as text.
// The inline namespace of every header (`v0`) is the ABI version: it changes when the
// layout or the meaning of a public type does, so that two copies in one program stay apart.

#define SNACK_VERSION_MAJOR 0
#define SNACK_VERSION_MINOR 1
#define SNACK_VERSION_PATCH 0

/// major * 10000 + minor * 100 + patch, for `#if SNACK_VERSION >= 200`
#define SNACK_VERSION (SNACK_VERSION_MAJOR * 10000 + SNACK_VERSION_MINOR * 100 + SNACK_VERSION_PATCH)
#define SNACK_VERSION_STRING "0.1.0"
