// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Dynamic shared memory of one block on the host. It begins poisoned, so that data which nobody
// wrote shows, and ends exactly where the launch said, so that a write beyond is caught.

#include <cstring>
#include <vector>

#include <snack/core/types.hpp>
#include <snack/simt/sanitizer.hpp>

namespace snack::inline v0::simt {

/// Every byte of memory that nobody has written: a NaN as float and double, -1 as an integer.
inline constexpr unsigned char poison_byte = 0xff;

class SharedMemory {
public:
    SharedMemory() = default;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory() { allow_access(begin(), static_cast<std::size_t>(size())); }

    /// Makes room for `bytes`; allocates only where no launch before had as many.
    void resize(Size bytes) {
        allow_access(begin(), static_cast<std::size_t>(size()));
        if (size() < front + bytes + back) {
            lines_ = std::vector<Line>(static_cast<std::size_t>((front + bytes + back + 63) / 64));
        }
        bytes_ = bytes;
        std::memset(begin(), canary_byte, front);
        std::memset(data() + bytes, canary_byte, back);
        forbid_access(begin(), front);
        forbid_access(data() + bytes, static_cast<std::size_t>(size() - front - bytes));
    }

    /// Forgets what the last block wrote.
    void poison() { std::memset(data(), poison_byte, static_cast<std::size_t>(bytes_)); }

    /// Whether it is as poison() left it. Where the address sanitizer watches closed memory, it always is.
    bool untouched() {
        if constexpr (SNACK_ADDRESS_SANITIZER) {
            return true;
        }
        return all_are(poison_byte, data(), bytes_);
    }

    /// Between these, the address sanitizer reports every access.
    void close() { forbid_access(data(), static_cast<std::size_t>(bytes_)); }
    void open() { allow_access(data(), static_cast<std::size_t>(bytes_)); }

    /// Whether nobody wrote next to the memory. The address sanitizer watches that by itself.
    bool intact() const {
        if constexpr (SNACK_ADDRESS_SANITIZER) {
            return true;
        }
        return all_are(canary_byte, begin(), front) && all_are(canary_byte, begin() + front + bytes_, back);
    }

    /// On a boundary of 16 bytes and of no more.
    unsigned char* data() { return begin() + front; }
    Size bytes() const { return bytes_; }

    bool contains(const void* address, Size bytes) {
        const auto distance = reinterpret_cast<std::intptr_t>(address) - reinterpret_cast<std::intptr_t>(data());
        return distance >= 0 && distance + bytes <= bytes_;
    }

    /// The place here of an address in the memory of another block.
    unsigned char* place_of(const void* address, SharedMemory& other) {
        return data() + (static_cast<const unsigned char*>(address) - other.data());
    }

private:
    static constexpr Size front = 16;
    static constexpr Size back = 64;
    static constexpr unsigned char canary_byte = 0xa5;

    struct alignas(64) Line {
        unsigned char bytes[64];
    };

    unsigned char* begin() { return reinterpret_cast<unsigned char*>(lines_.data()); }
    const unsigned char* begin() const { return reinterpret_cast<const unsigned char*>(lines_.data()); }
    Size size() const { return static_cast<Size>(lines_.size() * sizeof(Line)); }

    static bool all_are(unsigned char wanted, const unsigned char* bytes, Size count) {
        for (Size i = 0; i < count; ++i) {
            if (bytes[i] != wanted) {
                return false;
            }
        }
        return true;
    }

    std::vector<Line> lines_;
    Size bytes_ = 0;
};

}  // namespace snack::inline v0::simt
