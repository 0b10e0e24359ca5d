// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where readers take bytes from: a file, or memory. Any place of it can be read at any time, by several
// threads at once; nothing is mapped, so a file that shrinks is an error and no signal.

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snack/core/error.hpp>
#include <snack/io/budget.hpp>

namespace snack::inline v0::io {

/// Bytes with a name, which errors begin with.
class Source {
public:
    explicit Source(std::string name) : name_(std::move(name)) {}
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    const std::string& name() const noexcept { return name_; }
    virtual Size size() const noexcept = 0;

    /// Fills `to` with the bytes from `offset` on.
    /// @throws FileError if they are not there, or cannot be read
    virtual void read(Size offset, std::span<std::byte> to) const = 0;

private:
    std::string name_;
};

/// Memory of the caller, which must outlive it.
class MemorySource final : public Source {
public:
    explicit MemorySource(std::span<const std::byte> bytes, std::string name = "memory")
        : Source(std::move(name)), bytes_(bytes) {}

    Size size() const noexcept override { return static_cast<Size>(bytes_.size()); }

    void read(Size offset, std::span<std::byte> to) const override {
        const auto count = static_cast<Size>(to.size());
        require<FileError>(offset >= 0 && count <= size() && offset <= size() - count, name().c_str(), "byte ", offset,
                           ": ", count, " bytes are wanted, the end is at ", size());
        if (count > 0) {
            std::memcpy(to.data(), bytes_.data() + offset, to.size());
        }
    }

private:
    std::span<const std::byte> bytes_;
};

/// A regular file, open as long as this object lives.
class FileSource final : public Source {
public:
    /// @throws FileError if it cannot be opened or is no regular file; FormatError beyond the budget
    explicit FileSource(const std::string& path, const Budget& budget = {}) : Source(path) {
        file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe is refused below, not waited for
        require<FileError>(file_ >= 0, path.c_str(), "cannot open: ", std::strerror(errno));
        struct stat status = {};
        const bool known = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
        size_ = static_cast<Size>(status.st_size);
        if (!known || size_ > budget.file_bytes) [[unlikely]] {
            ::close(file_);
            require<FileError>(known, path.c_str(), "not a regular file");
            snack::detail::fail<FormatError>(path.c_str(), "has ", size_, " bytes, the budget is ", budget.file_bytes);
        }
    }
    ~FileSource() override { ::close(file_); }

    Size size() const noexcept override { return size_; }

    void read(Size offset, std::span<std::byte> to) const override {
        for (std::size_t done = 0; done < to.size();) {
            const ssize_t got = ::pread(file_, to.data() + done, to.size() - done,
                                        static_cast<off_t>(offset) + static_cast<off_t>(done));
            if (got < 0 && errno == EINTR) {
                continue;
            }
            require<FileError>(got >= 0, name().c_str(), "byte ", offset, ": cannot read: ", std::strerror(errno));
            require<FileError>(got > 0, name().c_str(), "byte ", offset, ": ", to.size(),
                               " bytes are wanted, the end is at ", offset + static_cast<Size>(done));
            done += static_cast<std::size_t>(got);
        }
    }

private:
    int file_ = -1;
    Size size_ = 0;
};

}  // namespace snack::inline v0::io
