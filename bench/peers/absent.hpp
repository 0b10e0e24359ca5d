// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A library that was not there when the benchmarks were built: its rows say so.
// `Peer` supplies the name.

#include <bench/adapter.hpp>

namespace bench {

template <class Peer>
class Absent : public NoGradients {
public:
    static constexpr const char* name = Peer::name;
    static const char* lacks(Operation) { return "not found when the benchmarks were built"; }

    Absent(const Problem&, const Setting&) {}
    void forward(Operands&) {}
    void input_gradient(Operands&) {}
    Size bytes() const { return 0; }
    Size bytes_read() const { return 0; }
};

}  // namespace bench
