// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A text in blocks of whole lines, which tasks read and take in at once. Blocks are cut at fixed places of the
// file, so what a task sees does not depend on the number of threads; memory is bounded by a few blocks a thread.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include <snack/io/source.hpp>
#include <snack/io/text_numbers.hpp>
#include <snack/memory/host_context.hpp>

namespace snack::inline v0::io::detail {

inline constexpr Size usual_block = Size{1} << 18;

/// The part of a source that holds lines: all from a byte on.
struct TextRange {
    const Source& source;
    Size begin;
    Size longest_line;
    Size block_bytes;

    TextRange(const Source& text, Size first, const Budget& budget, Size bytes_of_block = usual_block)
        : source(text),
          begin(first),
          longest_line(std::min(budget.line_bytes, text.size() - first)),
          block_bytes(bytes_of_block) {}

    Size bytes() const { return source.size() - begin; }
    Size blocks() const { return (bytes() + block_bytes - 1) / block_bytes; }

    /// The bytes where lines of one block may begin.
    Size widest_block() const { return std::min(block_bytes, bytes()); }
};

/// The lines that begin in one block, whole: [begin(), end()), of which the last byte ends a line.
class TextBlock {
public:
    TextBlock(const TextRange& range, Allocator* allocator)
        : text_(range.widest_block() + range.longest_line + 4 + text_padding, allocator) {
        text_.fill('\n');
    }

    const char* begin() const noexcept { return begin_; }
    const char* end() const noexcept { return end_; }

    /// Where a byte of the block lies in the source.
    Size offset(const char* p) const noexcept { return offset_ + (p - text_.data()); }

    /// A line that is longer than it may be ends somewhere beyond that.
    /// @throws FileError
    void read(const TextRange& range, Size block) {
        const Size from = range.begin + block * range.block_bytes;
        const Size to = std::min(from + range.block_bytes, range.source.size());
        offset_ = from - (block > 0 ? 1 : 0);  // the byte before tells whether a line begins here
        Size held = to - offset_;
        fill(range.source, 0, held);
        char* first = text_.data();
        if (block > 0) {
            first = std::find_if(first, text_.data() + held, is_line_end);
            first += first == text_.data() + held ? 0 : 1;
        }
        if (first < text_.data() + held) {
            held = complete(range, held);
        }
        begin_ = first;
        end_ = text_.data() + held;
    }

private:
    void fill(const Source& source, Size from, Size to) {
        source.read(offset_ + from, std::as_writable_bytes(text_.span().subspan(static_cast<std::size_t>(from),
                                                                                static_cast<std::size_t>(to - from))));
    }

    /// Reads on to the end of the last line. Returns how many bytes are held then.
    Size complete(const TextRange& range, Size held) {
        const Size most = std::min(held + range.longest_line + 1, range.source.size() - offset_);
        for (Size step = 256; !is_line_end(text_[held - 1]) && held < most; step *= 4) {
            const Size further = std::min(held + step, most);
            fill(range.source, held, further);
            const char* stop = std::find_if(text_.data() + held, text_.data() + further, is_line_end);
            held = std::min(stop - text_.data() + 1, further);
        }
        if (!is_line_end(text_[held - 1])) {
            text_[held++] = '\n';
        }
        return held;
    }

    Buffer<char> text_;
    const char* begin_ = nullptr;
    const char* end_ = nullptr;
    Size offset_ = 0;
};

/// Calls call(), from a thread where nothing may be thrown. What it threw is returned.
template <class Call>
std::exception_ptr caught(const Call& call) noexcept {
#if defined(__cpp_exceptions)
    try {
        call();
    } catch (...) {
        return std::current_exception();
    }
#else
    call();
#endif
    return nullptr;
}

/// Takes a text in: blocks are read and parsed at once, admitted one after the other in the order of the text, and
/// placed at once.
///
/// @param make   make() gives a block, which has a `TextBlock text`
/// @param parse  parse(block) makes of block.text what it will
/// @param admit  admit(block) may refuse it
/// @param place  place(block) does not throw
/// @throws FileError; of what the others throw what belongs to the first block
template <class Make, class Parse, class Admit, class Place>
void take_blocks(HostContext& ctx, const TextRange& range, const Make& make, const Parse& parse, const Admit& admit,
                 const Place& place) {
    constexpr Size blocks_per_thread = 8;  // evens out threads that others disturb
    const Size blocks = range.blocks();
    const Size at_once = ctx.threads() == 1 ? 1 : std::min(blocks, blocks_per_thread * ctx.threads());
    std::vector<decltype(make())> held;
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(at_once));
    held.reserve(errors.size());
    for (Size i = 0; i < std::min(at_once, blocks); ++i) {
        held.push_back(make());
    }
    for (Size first = 0; first < blocks; first += at_once) {
        const Size count = std::min(at_once, blocks - first);
        ctx.parallel_for(count, [&](Size i) {
            auto& block = held[static_cast<std::size_t>(i)];
            errors[static_cast<std::size_t>(i)] = caught([&] {
                block.text.read(range, first + i);
                parse(block);
            });
        });
        for (Size i = 0; i < count; ++i) {
            if (errors[static_cast<std::size_t>(i)]) {
                std::rethrow_exception(errors[static_cast<std::size_t>(i)]);
            }
            admit(held[static_cast<std::size_t>(i)]);
        }
        ctx.parallel_for(count, [&](Size i) { place(held[static_cast<std::size_t>(i)]); });
    }
}

}  // namespace snack::inline v0::io::detail
