// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Writes safetensors files: the same tensors give the same bytes, those that the format's own library writes. Needs
// no JSON library.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/io/atomic_file.hpp>
#include <snack/io/dtype.hpp>
#include <snack/io/json_text.hpp>
#include <snack/io/quote.hpp>

namespace snack::inline v0::io {

/// Collects tensors, of which it keeps the address alone, and writes them. The file has the wider types first, so that
/// each tensor is aligned, and equal types by name.
class SafetensorsWriter {
public:
    /// Puts bytes [first, first + to.size()) of a tensor into `to`; whole elements.
    using Fill = std::function<void(Size first, std::span<std::byte> to)>;

    /// Text that goes with the tensors; replaces what the name had.
    /// @throws ArgumentError if either is not UTF-8
    void set_metadata(const std::string& name, std::string text) {
        require<ArgumentError>(detail::is_utf8(name) && detail::is_utf8(text), where, "metadata ", quote(name),
                               " are not UTF-8");
        metadata_[name] = std::move(text);
    }

    /// Elements of the caller's, in row-major order, which must live until they are written. T is float, double or
    /// an integer.
    /// @throws ShapeError if the shape needs another number; ArgumentError as the other `add`
    template <class T>
    void add(const std::string& name, std::vector<Size> shape, std::span<T> elements) {
        const Size wanted = elements_of(name, shape);
        require<ShapeError>(wanted == static_cast<Size>(elements.size()), where, "tensor ", quote(name), " has ",
                            elements.size(), " elements, its shape needs ", wanted);
        insert(name, {dtype_of<std::remove_const_t<T>>(), std::move(shape), std::as_bytes(elements), nullptr});
    }

    /// Elements that `fill` supplies piece by piece when the file is written: from other memory, or computed.
    /// @throws ArgumentError if the name is taken, reserved or not UTF-8; ShapeError for an extent that is negative or
    ///         too large, and for elements that end inside a byte
    void add(const std::string& name, DType dtype, std::vector<Size> shape, Fill fill) {
        insert(name, {dtype, std::move(shape), {}, std::move(fill)});
    }

    /// Writes a file that appears whole or not at all; it can be done again. Memory: the header, and 1 MiB if there
    /// are tensors that a function supplies.
    /// @throws FileError; what such a function throws
    void write(const std::string& path) const {
        AtomicFile file(path);
        write_to(file);
        file.commit();
    }

    /// The same bytes to anything that has write(std::span<const std::byte>).
    template <class Sink>
    void write_to(Sink& sink) const {
        const std::vector<const Entry*> entries = in_order();
        const std::string header = header_of(entries);
        const auto size = static_cast<std::uint64_t>(header.size());
        sink.write(std::as_bytes(std::span(&size, 1)));
        sink.write(std::as_bytes(std::span(header)));
        for (const Entry* entry : entries) {
            if (entry->second.fill) {
                write_pieces(*entry, sink);
            } else {
                sink.write(entry->second.elements);
            }
        }
    }

private:
    static constexpr const char* where = "SafetensorsWriter";
    static constexpr Size most_piece = 1 << 20;

    struct Tensor {
        DType dtype;
        std::vector<Size> shape;
        std::span<const std::byte> elements;
        Fill fill;
    };
    using Entry = std::pair<const std::string, Tensor>;

    static Size elements_of(const std::string& name, const std::vector<Size>& shape) {
        Size elements = 1;
        bool fits = true;
        for (const Size extent : shape) {
            fits = fits && extent >= 0 && !__builtin_mul_overflow(elements, extent, &elements);
        }
        require<ShapeError>(fits && elements <= Size{1} << 59, where, "tensor ", quote(name),
                            " has an extent that is negative or too large");
        return elements;
    }
    static Size bytes_in(const Entry& entry) {
        return bytes_of(entry.second.dtype, elements_of(entry.first, entry.second.shape));
    }

    template <class Sink>
    static void write_pieces(const Entry& entry, Sink& sink) {
        const Size bytes = bytes_in(entry);
        std::vector<std::byte> piece(static_cast<std::size_t>(std::min(most_piece, bytes)));
        for (Size first = 0; first < bytes; first += most_piece) {
            const auto now = std::span(piece).first(static_cast<std::size_t>(std::min(most_piece, bytes - first)));
            entry.second.fill(first, now);
            sink.write(now);
        }
    }

    void insert(const std::string& name, Tensor tensor) {
        require<ArgumentError>(detail::is_utf8(name), where, "the name ", quote(name), " is not UTF-8");
        require<ArgumentError>(name != "__metadata__", where, "the name '__metadata__' is reserved");
        const Size elements = elements_of(name, tensor.shape);
        require<ShapeError>(bytes_of(tensor.dtype, elements) >= 0, where, "tensor ", quote(name), ": ", elements,
                            " elements of ", name_of(tensor.dtype), " end inside a byte");
        require<ArgumentError>(tensors_.emplace(name, std::move(tensor)).second, where, "there are two tensors ",
                               quote(name));
    }

    /// The place of a type in the order of the format's own library: wider ones first.
    static int rank(DType type) {
        constexpr DType order[] = {
            DType::U64,         DType::I64,     DType::F64,     DType::C64,     DType::F32, DType::U32,
            DType::I32,         DType::BF16,    DType::F16,     DType::U16,     DType::I16, DType::F8_E5M2FNUZ,
            DType::F8_E4M3FNUZ, DType::F8_E8M0, DType::F8_E4M3, DType::F8_E5M2, DType::I8,  DType::U8,
            DType::F6_E3M2,     DType::F6_E2M3, DType::F4,      DType::BOOL};
        return static_cast<int>(std::find(std::begin(order), std::end(order), type) - std::begin(order));
    }

    std::vector<const Entry*> in_order() const {
        std::vector<const Entry*> entries;
        for (const Entry& entry : tensors_) {
            entries.push_back(&entry);
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const Entry* a, const Entry* b) { return rank(a->second.dtype) < rank(b->second.dtype); });
        return entries;
    }

    /// The JSON text, which ends with spaces on a multiple of eight bytes.
    std::string header_of(const std::vector<const Entry*>& entries) const {
        std::string json = "{";
        const char* separator = "";
        if (!metadata_.empty()) {
            json += "\"__metadata__\":{";
            for (const auto& [name, text] : metadata_) {
                json += separator;
                detail::append_json(json, name);
                json += ':';
                detail::append_json(json, text);
                separator = ",";
            }
            json += '}';
        }
        Size begin = 0;
        for (const Entry* entry : entries) {
            json += separator;
            detail::append_json(json, entry->first);
            json += ":{\"dtype\":\"";
            json += name_of(entry->second.dtype);
            json += "\",\"shape\":[";
            separator = "";
            for (const Size extent : entry->second.shape) {
                json += separator;
                json += std::to_string(extent);
                separator = ",";
            }
            Size end = 0;
            require<ShapeError>(!__builtin_add_overflow(begin, bytes_in(*entry), &end), where,
                                "the tensors are too large for one file");
            json += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
            separator = ",";
            begin = end;
        }
        json += '}';
        json.append((8 - json.size() % 8) % 8, ' ');
        return json;
    }

    std::map<std::string, std::string> metadata_;
    std::map<std::string, Tensor> tensors_;
};

}  // namespace snack::inline v0::io
