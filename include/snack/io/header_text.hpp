// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The JSON text of a header as its parser takes it: in pieces, never as a whole, and without the long runs of bytes
// that a parser would have to hold.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

#include <snack/core/error.hpp>
#include <snack/io/source.hpp>

namespace snack::inline v0::io::detail {

/// The bytes of the header, one by one. A run of bytes that a parser would have to hold is limited.
class HeaderText {
public:
    HeaderText(const Source& source, Size begin, Size end, const Budget& budget)
        : source_(source), budget_(budget), next_(begin), end_(end) {
        load();
    }

    bool at_end() const { return at_ == filled_; }
    char current() const { return chunk_[at_]; }
    /// Of the current byte in the file.
    Size position() const { return next_ - static_cast<Size>(filled_ - at_); }

    void advance() {
        follow(current());
        if (++at_ == filled_) {
            load();
        }
    }

private:
    /// @throws FormatError if a string, or what stands between two brackets, commas, colons or strings, is too long
    void follow(char c) {
        const bool bounds = in_string_
                                ? !escaped_ && c == '"'
                                : c == '"' || c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']';
        escaped_ = in_string_ && !escaped_ && c == '\\';
        in_string_ = in_string_ != (bounds && c == '"');
        run_ = bounds ? 0 : run_ + 1;
        require<FormatError>(c != '\0', source_.name().c_str(), "byte ", position(), ": a zero byte in the header");
        require<FormatError>(run_ <= budget_.string_bytes, source_.name().c_str(), "byte ", position(),
                             ": a string or a gap of the header goes on for more than ", budget_.string_bytes,
                             " bytes, the budget");
    }

    void load() {
        filled_ = static_cast<std::size_t>(std::min<Size>(end_ - next_, sizeof chunk_));
        source_.read(next_, std::as_writable_bytes(std::span(chunk_, filled_)));
        next_ += static_cast<Size>(filled_);
        at_ = 0;
    }

    const Source& source_;
    const Budget& budget_;
    Size next_;  // where the bytes after the chunk begin
    Size end_;
    Size run_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    std::size_t at_ = 0;
    std::size_t filled_ = 0;
    char chunk_[16 * 1024];
};

/// The same as an iterator, for the parser; copies share the text. Null is the end.
class HeaderIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit HeaderIterator(HeaderText* text) : text_(text) {}

    char operator*() const { return text_->current(); }
    HeaderIterator& operator++() {
        text_->advance();
        return *this;
    }
    void operator++(int) { text_->advance(); }
    bool operator==(const HeaderIterator& other) const { return ended() == other.ended(); }
    bool operator!=(const HeaderIterator& other) const { return !(*this == other); }

private:
    bool ended() const { return text_ == nullptr || text_->at_end(); }

    HeaderText* text_;
};

}  // namespace snack::inline v0::io::detail
