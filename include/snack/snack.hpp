// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Everything that runs on the host, in plain C++20.
// Include single headers instead where compile time matters; each stands on its own.

#include <snack/backends/host.hpp>
#include <snack/backends/reference.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/schedule.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/init/density.hpp>
#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <snack/nn/sparse_linear.hpp>
#include <snack/version.hpp>
