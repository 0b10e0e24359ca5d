// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Catch2, whichever version is installed: 2.13 (Debian 12) or 3.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
