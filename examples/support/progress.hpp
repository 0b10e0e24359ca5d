// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How training reports while it runs: on a terminal a line that is rewritten in place, into a
// file or a pipe one plain line per epoch. https://no-color.org is respected.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace examples {

/// Seconds since it was made.
class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

class Progress {
public:
    explicit Progress(std::FILE* stream) : stream_(stream) {
        const char* terminal = std::getenv("TERM");
        const char* no_color = std::getenv("NO_COLOR");
        live_ = isatty(fileno(stream)) != 0 && terminal != nullptr && std::string(terminal) != "dumb";
        colour_ = live_ && (no_color == nullptr || *no_color == '\0');
    }

    /// Whether show should be called now: at most ten times a second, and on a terminal only.
    bool due() const { return live_ && clock_.seconds() >= next_; }

    /// Rewrites the live line.
    void show(const std::string& line) {
        next_ = clock_.seconds() + 0.1;
        std::fprintf(stream_, colour_ ? "\r\x1b[2m%s\x1b[0m\x1b[K" : "\r%s\x1b[K", line.c_str());
        std::fflush(stream_);
    }

    /// Removes the live line.
    void clear() {
        if (live_) {
            std::fputs("\r\x1b[K", stream_);
            std::fflush(stream_);
        }
    }

    /// Leaves a line that stays, in place of the live one.
    void keep(const std::string& line) {
        std::fprintf(stream_, live_ ? "\r%s\x1b[K\n" : "%s\n", line.c_str());
        std::fflush(stream_);
    }

private:
    std::FILE* stream_;
    bool live_;
    bool colour_;
    Stopwatch clock_;
    double next_ = 0;
};

}  // namespace examples
