// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Reads safetensors files, which hold named tensors and are what trained weights are exchanged in.
// https://github.com/huggingface/safetensors describes the format. The header needs nlohmann-json.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <snack/io/safetensors_header.hpp>
#include <snack/memory/buffer.hpp>

namespace snack::inline v0::io {

/// The tensors of a file or of memory. Opening reads the header alone; elements are read on request, in any order and
/// by several threads at once.
class Safetensors {
public:
    /// @throws as read_safetensors_header; ArgumentError for a null source
    explicit Safetensors(std::shared_ptr<const Source> source, const Budget& budget = {}) : source_(std::move(source)) {
        require<ArgumentError>(source_ != nullptr, "Safetensors", "the source is null");
        table_ = read_safetensors_header(*source_, budget);
    }
    explicit Safetensors(const std::string& path, const Budget& budget = {})
        : Safetensors(std::make_shared<FileSource>(path, budget), budget) {}

    /// The path, or the name of the source.
    const std::string& name() const noexcept { return source_->name(); }
    const Source& source() const noexcept { return *source_; }

    /// Sorted by name.
    std::span<const TensorInfo> tensors() const noexcept { return table_.tensors; }
    const Metadata& metadata() const noexcept { return table_.metadata; }

    /// Null if there is no tensor of that name. O(log tensors).
    const TensorInfo* find(std::string_view name) const noexcept {
        const auto at =
            std::lower_bound(table_.tensors.begin(), table_.tensors.end(), name,
                             [](const TensorInfo& tensor, std::string_view key) { return tensor.name < key; });
        return at != table_.tensors.end() && at->name == name ? &*at : nullptr;
    }

    /// @throws FormatError if there is no tensor of that name
    const TensorInfo& at(std::string_view name) const {
        const TensorInfo* tensor = find(name);
        require<FormatError>(tensor != nullptr, this->name().c_str(), "has no tensor ", quote(name));
        return *tensor;
    }

    /// to[i] = element first + i of a tensor of this file, converted as io::decode says. A few kilobytes of memory
    /// are used beside `to`, and none where the types agree.
    /// @throws ShapeError beyond the end of the tensor; UnsupportedError for a type that is not decoded; FileError
    template <Scalar T>
    void read(const TensorInfo& tensor, Size first, std::span<T> to) const {
        if (tensor.dtype == dtype_of<T>()) {
            check_range(tensor, first, static_cast<Size>(to.size()));
            read_bytes(tensor, first * static_cast<Size>(sizeof(T)), std::as_writable_bytes(to));
        } else {
            require<UnsupportedError>(is_decoded(tensor.dtype), name().c_str(), "byte ", tensor.described_at,
                                      ": tensor ", quote(tensor.name), " has dtype ", name_of(tensor.dtype),
                                      ", which is not read");
            in_pieces(tensor, first, to, [&](const std::byte* from, Size count, Size done) {
                decode(tensor.dtype, from, count, to.data() + done);
            });
        }
    }

    /// All elements.
    /// @throws UnsupportedError, FileError as the other `read`; what the allocator throws
    template <Scalar T>
    Buffer<T> read(const TensorInfo& tensor, Allocator* allocator = nullptr) const {
        Buffer<T> elements(tensor.elements, allocator);
        read(tensor, 0, elements.span());
        return elements;
    }

    /// The same for integers of any width.
    /// @throws FormatError for a tensor of another type, and for an element beyond 2^63 - 1, which it names;
    ///         ShapeError, FileError as read
    void read_integers(const TensorInfo& tensor, Size first, std::span<Size> to) const {
        require<FormatError>(is_integer(tensor.dtype), name().c_str(), "byte ", tensor.described_at, ": tensor ",
                             quote(tensor.name), " has dtype ", name_of(tensor.dtype), ", integers are wanted");
        in_pieces(tensor, first, to, [&](const std::byte* from, Size count, Size done) {
            const Size good = decode(tensor.dtype, from, count, to.data() + done);
            require<FormatError>(good == count, name().c_str(), "tensor ", quote(tensor.name), ": element ",
                                 first + done + good, " passes 2^63 - 1");
        });
    }

    /// Bytes of the tensor as they stand in the file, from its byte `first` on.
    /// @throws ShapeError beyond the end of the tensor; FileError
    void read_bytes(const TensorInfo& tensor, Size first, std::span<std::byte> to) const {
        const Size bytes = tensor.end - tensor.begin;
        const auto count = static_cast<Size>(to.size());
        require<ShapeError>(first >= 0 && first <= bytes && count <= bytes - first, name().c_str(), "tensor ",
                            quote(tensor.name), " has ", bytes, " bytes; ", count, " from byte ", first,
                            " on are wanted");
        source_->read(tensor.begin + first, to);
    }

private:
    void check_range(const TensorInfo& tensor, Size first, Size count) const {
        require<ShapeError>(first >= 0 && first <= tensor.elements && count <= tensor.elements - first, name().c_str(),
                            "tensor ", quote(tensor.name), " has ", tensor.elements, " elements; ", count,
                            " from element ", first, " on are wanted");
    }

    /// Calls visit(bytes, count, done) for pieces of the elements from `first` on, `done` having come before.
    template <class T, class Visit>
    void in_pieces(const TensorInfo& tensor, Size first, std::span<T> to, const Visit& visit) const {
        const auto count = static_cast<Size>(to.size());
        check_range(tensor, first, count);
        std::byte piece[32 * 1024];
        const Size width = bytes_of(tensor.dtype);
        const Size most = static_cast<Size>(sizeof piece) / width;
        for (Size done = 0; done < count; done += most) {
            const Size now = std::min(most, count - done);
            read_bytes(tensor, (first + done) * width, std::span(piece, static_cast<std::size_t>(now * width)));
            visit(piece, now, done);
        }
    }

    std::shared_ptr<const Source> source_;
    SafetensorsTable table_;
};

}  // namespace snack::inline v0::io
