// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The lines of a text, one after the other, and where an error in one stands. A line ends in LF, CR or CRLF, and
// the last one also where the text does.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <snack/io/quote.hpp>
#include <snack/io/source.hpp>
#include <snack/io/text_numbers.hpp>

namespace snack::inline v0::io::detail {

/// The number, from 1, of the line that begins at byte `offset`. Reads the text up to there.
inline Size line_at(const Source& source, Size offset) {
    std::byte block[4096];
    Size line = 1;
    std::byte before{};
    for (Size from = 0; from < offset; from += static_cast<Size>(sizeof block)) {
        const std::span part(block, static_cast<std::size_t>(std::min(offset - from, Size{sizeof block})));
        source.read(from, part);
        for (const std::byte c : part) {
            const bool ends = c == std::byte{'\r'} || (c == std::byte{'\n'} && before != std::byte{'\r'});
            line += ends ? 1 : 0;
            before = c;
        }
    }
    return line;
}

template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail_line(const Source& source, Size line, const Parts&... parts) {
    snack::detail::fail<FormatError>(source.name().c_str(), "line ", line, ": ", parts...);
}

/// Goes through the first lines of a text.
class TextLines {
public:
    TextLines(const Source& source, const Budget& budget) : source_(source), longest_(budget.line_bytes) {}

    /// Whether there is one more line, which `line` is then, without its end, until the next call.
    /// @throws FormatError beyond Budget::line_bytes; FileError
    bool next(std::string_view& line) {
        std::size_t length = 0;
        begin_ = next_;
        while ((length = text_.find_first_of("\r\n", begin_, 2)) == std::string::npos && load_more()) {
        }
        const bool last = length == std::string::npos;
        length = (last ? text_.size() : length) - begin_;
        if (last && length == 0) {
            return false;
        }
        ++number_;
        if (static_cast<Size>(length) > longest_) {
            fail_line(source_, number_, "longer than ", longest_, " bytes, the budget of a line");
        }
        next_ = begin_ + length + (last ? 0 : 1);
        if (!last && text_[next_ - 1] == '\r' && (next_ < text_.size() || load_more()) && text_[next_] == '\n') {
            ++next_;
        }
        line = std::string_view(text_).substr(begin_, length);
        return true;
    }

    /// The number, from 1, of the line that `next` gave, and the byte behind its end.
    Size number() const noexcept { return number_; }
    Size end() const noexcept { return offset_ + static_cast<Size>(next_); }

    template <class... Parts>
    [[noreturn]] void fail(const Parts&... parts) const {
        fail_line(source_, number_, parts...);
    }

private:
    /// Drops the lines before begin_, and reads on. False at the end, and where no line may reach.
    bool load_more() {
        text_.erase(0, begin_);
        offset_ += static_cast<Size>(begin_);
        next_ -= begin_;
        begin_ = 0;
        const auto held = static_cast<Size>(text_.size());
        const Size count = std::min(source_.size() - offset_ - held, std::max(held, Size{4096}));
        if (count <= 0 || held > longest_ + 1) {
            return false;
        }
        text_.resize(static_cast<std::size_t>(held + count));
        source_.read(offset_ + held, std::as_writable_bytes(std::span(text_)).subspan(static_cast<std::size_t>(held)));
        return true;
    }

    const Source& source_;
    Size longest_;
    Size offset_ = 0;  // of text_ in the source
    Size number_ = 0;
    std::string text_;
    std::size_t begin_ = 0;
    std::size_t next_ = 0;
};

/// The blank-separated words of a line; `line` keeps what follows. Empty at its end.
inline std::string_view next_word(std::string_view& line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

}  // namespace snack::inline v0::io::detail
