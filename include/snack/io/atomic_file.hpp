// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A file that appears whole or not at all: it is written beside its place under another name, and renamed
// when all of it has reached the disk.

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snack/core/error.hpp>

namespace snack::inline v0::io {

/// Writes are buffered. Without `commit`, also after an exception, the place keeps what it had.
class AtomicFile {
public:
    /// @throws FileError if the folder takes no file, or has something else under the name: a folder, a device
    explicit AtomicFile(std::string path) : path_(std::move(path)) {
        struct stat old = {};
        require<FileError>(::stat(path_.c_str(), &old) != 0 || S_ISREG(old.st_mode), path_.c_str(),
                           "cannot write: not a regular file");
        constexpr std::size_t longest = 200;  // of a name that takes an ending: folders take names of 255 bytes
        const std::string begin = path_.substr(0, path_.rfind('/') + 1 + longest);
        for (int tries = 0; file_ < 0 && tries < 100; ++tries) {
            temporary_ = begin + "." + std::to_string(::getpid()) + "-" + std::to_string(tries) + ".tmp";
            file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file_ < 0 && errno != EEXIST) {
                break;
            }
        }
        require_done(file_ >= 0);
        buffer_.reserve(buffer_bytes);
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile() {
        if (file_ >= 0) {
            ::close(file_);
            ::unlink(temporary_.c_str());
        }
    }

    /// @throws FileError if the disk is full or fails
    void write(std::span<const std::byte> bytes) {
        if (buffer_.size() + bytes.size() > buffer_bytes) {
            flush();
        }
        if (bytes.size() >= buffer_bytes) {
            write_through(bytes);
        } else {
            buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        }
    }
    void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

    /// Puts the file in its place. One that it replaces leaves it its permissions; a link is replaced, not followed.
    /// @throws FileError if that fails; the place keeps what it had
    void commit() {
        flush();
        struct stat old = {};
        if (::stat(path_.c_str(), &old) == 0) {
            require_done(::fchmod(file_, old.st_mode & 07777) == 0);
        }
        require_done(::fsync(file_) == 0);
        require_done(::rename(temporary_.c_str(), path_.c_str()) == 0);
        ::close(std::exchange(file_, -1));
    }

private:
    static constexpr std::size_t buffer_bytes = 1 << 16;

    void require_done(bool done) const {
        require<FileError>(done, path_.c_str(), "cannot write: ", std::strerror(errno));
    }

    void flush() {
        write_through(buffer_);
        buffer_.clear();
    }

    void write_through(std::span<const std::byte> bytes) const {
        while (!bytes.empty()) {
            const ssize_t put = ::write(file_, bytes.data(), bytes.size());
            if (put < 0 && errno == EINTR) {
                continue;
            }
            require_done(put >= 0);
            bytes = bytes.subspan(static_cast<std::size_t>(put));
        }
    }

    std::string path_;
    std::string temporary_;
    int file_ = -1;
    std::vector<std::byte> buffer_;
};

}  // namespace snack::inline v0::io
