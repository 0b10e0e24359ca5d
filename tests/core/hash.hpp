// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// FNV-1a over the bits of numbers: one number to compare where two builds shall agree.

#include <bit>
#include <cstdint>

namespace tests {

class Hash {
public:
    void add(std::uint64_t bits) {
        for (int byte = 0; byte < 8; ++byte) {
            state_ = (state_ ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
        }
    }
    void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace tests
