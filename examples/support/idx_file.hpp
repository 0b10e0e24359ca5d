// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Reads the IDX files of the MNIST family, gzipped or plain: a big-endian magic number, one
// 32-bit extent per dimension, then bytes. Nothing a file says is believed before it is checked.

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace examples {

/// A data file that is missing or not what it should be; one line that names the file.
class DataError : public std::runtime_error {
public:
    DataError(const std::filesystem::path& file, const std::string& text)
        : std::runtime_error(file.string() + ": " + text) {}
};

/// Bytes in as many dimensions as the file has: images are {count, rows, columns}, labels {count}.
struct IdxArray {
    std::vector<std::uint64_t> extents;
    std::vector<std::uint8_t> bytes;
};

namespace detail {

/// An open file that zlib inflates if it is compressed.
class GzipFile {
public:
    explicit GzipFile(const std::filesystem::path& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
        std::error_code failed;
        size_ = std::filesystem::file_size(path, failed);
        if (file_ == nullptr || failed) {
            gzclose(file_);
            throw DataError(path, "cannot be read as a file");
        }
    }
    GzipFile(const GzipFile&) = delete;
    GzipFile& operator=(const GzipFile&) = delete;
    ~GzipFile() { gzclose(file_); }

    /// Reads up to `count` bytes; fewer only where the data end.
    std::uint64_t read(std::uint8_t* to, std::uint64_t count) {
        constexpr std::uint64_t piece = 1 << 24;
        std::uint64_t done = 0;
        while (done < count) {
            const std::uint64_t wanted = count - done < piece ? count - done : piece;
            const int got = gzread(file_, to + done, static_cast<unsigned>(wanted));
            if (got < 0) {
                int code = Z_OK;
                throw DataError(path_, std::string("damaged, zlib says: ") + gzerror(file_, &code));
            }
            if (got == 0) {
                break;
            }
            done += static_cast<std::uint64_t>(got);
        }
        return done;
    }

    /// The most bytes this file can hold; deflate packs at most 1032 into one.
    std::uint64_t capacity() const { return gzdirect(file_) != 0 ? size_ : size_ * 1032; }

private:
    std::filesystem::path path_;
    gzFile file_;
    std::uint64_t size_ = 0;
};

inline std::string hexadecimal(std::uint32_t number) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", number);
    return text.data();
}

inline std::uint32_t read_big_endian(GzipFile& file, const std::filesystem::path& path) {
    std::array<std::uint8_t, 4> byte{};
    if (file.read(byte.data(), byte.size()) != byte.size()) {
        throw DataError(path, "ends inside the header");
    }
    return std::uint32_t{byte[0]} << 24 | std::uint32_t{byte[1]} << 16 | std::uint32_t{byte[2]} << 8 | byte[3];
}

}  // namespace detail

/// Reads a whole file of unsigned bytes in `dimensions` dimensions: 3 for images, 1 for labels.
/// @throws DataError for a missing, damaged, truncated or overlong file, or another magic number
inline IdxArray read_idx_file(const std::filesystem::path& path, unsigned dimensions) {
    detail::GzipFile file(path);
    const std::uint32_t wanted_magic = 0x800 + dimensions;
    const std::uint32_t magic = detail::read_big_endian(file, path);
    if (magic != wanted_magic) {
        throw DataError(path,
                        "magic number " + detail::hexadecimal(magic) + ", wanted " + detail::hexadecimal(wanted_magic));
    }
    IdxArray array;
    std::uint64_t size = 1;
    bool overflows = false;
    for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
        array.extents.push_back(detail::read_big_endian(file, path));
        overflows = overflows || __builtin_mul_overflow(size, array.extents.back(), &size);
    }
    if (overflows || size > file.capacity()) {
        throw DataError(path, "the header promises more bytes than the file can hold");
    }
    array.bytes.resize(size);
    const std::uint64_t got = file.read(array.bytes.data(), size);
    if (got != size) {
        throw DataError(
            path, "truncated, " + std::to_string(got) + " bytes after the header, wanted " + std::to_string(size));
    }
    std::uint8_t beyond = 0;
    if (file.read(&beyond, 1) != 0) {
        throw DataError(path, "goes on after the " + std::to_string(size) + " bytes its header promises");
    }
    return array;
}

}  // namespace examples
