// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The scratch space of a context, in whatever memory space: blocks by slot, of which none is ever moved.

#include <utility>
#include <vector>

#include <snack/core/error.hpp>
#include <snack/core/span.hpp>
#include <snack/memory/buffer.hpp>

namespace snack::inline v0::detail {

/// Blocks of bytes; what has been handed out stays valid as long as the object.
template <class Space>
class ScratchBlocks {
public:
    /// `count` elements of the slot: of the first block that holds as many, or of a new one of twice the last
    /// size or more, which allocate(bytes) makes. The total of a slot stays below four times its largest
    /// request.
    /// @throws ArgumentError, in the name of `where`, for a negative count or one whose bytes pass 2^63
    template <class T, class Allocate>
    SpanIn<T, Space> take(const char* where, int slot, Size count, const Allocate& allocate) {
        Size bytes = 0;
        const bool fits = !__builtin_mul_overflow(count, static_cast<Size>(sizeof(T)), &bytes);
        require<ArgumentError>(fits && bytes >= 0, where, "cannot hold ", count, " elements");
        Size largest = 0;
        for (Block& block : blocks_) {
            if (block.slot == slot) {
                if (block.memory.size() >= bytes) {
                    return {reinterpret_cast<T*>(block.memory.data()), static_cast<std::size_t>(count)};
                }
                largest = block.memory.size() > largest ? block.memory.size() : largest;
            }
        }
        blocks_.push_back({slot, allocate(bytes > 2 * largest ? bytes : 2 * largest)});
        return {reinterpret_cast<T*>(blocks_.back().memory.data()), static_cast<std::size_t>(count)};
    }

    Size bytes() const noexcept {
        Size sum = 0;
        for (const Block& block : blocks_) {
            sum += block.memory.bytes();
        }
        return sum;
    }

private:
    struct Block {
        int slot;
        BufferIn<unsigned char, Space> memory;
    };

    std::vector<Block> blocks_;
};

}  // namespace snack::inline v0::detail
