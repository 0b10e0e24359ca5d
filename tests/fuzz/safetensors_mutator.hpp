// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Changes safetensors files so that the size of the header mostly fits: else nearly every one would end at it.

#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Called by libFuzzer in place of its own; the header reaches to the last brace.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, most);
    std::size_t end = size;
    while (end > 8 && data[end - 1] != '}') {
        --end;
    }
    if (end > 8 && seed % 16 != 0) {
        const std::uint64_t header = end - 8;
        std::memcpy(data, &header, sizeof header);
    }
    return size;
}
