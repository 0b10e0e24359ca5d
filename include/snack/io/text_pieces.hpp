// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Text that is written piece by piece: the threads of a context make it, and it has the same bytes with any
// number of them.

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <snack/memory/host_context.hpp>

namespace snack::inline v0::io::detail {

/// Characters that a piece has at most: two indices, a number, and what separates them.
inline constexpr Size longest_piece = 64;

template <class Number>
char* put_number(char* to, Number number) {
    return std::to_chars(to, to + 32, number).ptr;
}

/// Writes pieces 0 ... count - 1 to a sink, which has write(std::string_view). Threads make them, a block each.
/// @param put  put(i, to) writes piece i to `to`, at most longest_piece characters, and returns their end
template <class Sink, class Put>
void put_pieces(HostContext& ctx, Sink& sink, Size count, const Put& put) {
    constexpr Size block = 4096;
    const Size blocks = (count + block - 1) / block;
    const Size at_once = std::min(blocks, Size{8} * ctx.threads());
    Buffer<char> text(std::min(count, at_once * block) * longest_piece, ctx.allocator());
    std::vector<char*> ends(static_cast<std::size_t>(at_once));
    for (Size first = 0; first < blocks; first += at_once) {
        const Size held = std::min(at_once, blocks - first);
        ctx.parallel_for(held, [&](Size i) {
            char* to = text.data() + i * block * longest_piece;
            const Size begin = (first + i) * block;
            for (Size piece = begin; piece < std::min(begin + block, count); ++piece) {
                to = put(piece, to);
            }
            ends[static_cast<std::size_t>(i)] = to;
        });
        for (Size i = 0; i < held; ++i) {
            const char* begin = text.data() + i * block * longest_piece;
            sink.write(std::string_view(begin, static_cast<std::size_t>(ends[static_cast<std::size_t>(i)] - begin)));
        }
    }
}

}  // namespace snack::inline v0::io::detail
