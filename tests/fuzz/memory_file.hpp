// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What fuzz targets read from and write to.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <snack/io/source.hpp>

namespace fuzz {

/// A file that is written to memory.
struct MemoryFile {
    std::vector<std::byte> bytes;

    void write(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
    void write(std::string_view more) { write(std::as_bytes(std::span(more))); }

    /// The bytes as they are; they must stay.
    std::shared_ptr<const snack::io::Source> source() const {
        return std::make_shared<snack::io::MemorySource>(bytes, "written");
    }
};

inline std::shared_ptr<const snack::io::Source> source_of(const std::uint8_t* data, std::size_t size) {
    return std::make_shared<snack::io::MemorySource>(std::as_bytes(std::span(data, size)), "input");
}

/// Ends the run, and so reports the input, unless the law holds.
inline void require_law(bool holds, const char* law) {
    if (!holds) {
        std::fprintf(stderr, "broken: %s\n", law);
        std::abort();
    }
}

}  // namespace fuzz
