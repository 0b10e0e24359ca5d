// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every member of a layer in double, for a compiler to complain about: vectors that are wider than the
// registers of the machine it compiles for must not be passed by value.

#include <snack/snack.hpp>

template class snack::SparseLinear<snack::Host, double>;
