// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The header of a safetensors file: the size of a JSON text in eight bytes, the text, which names the tensors, and
// then their bytes, without a gap. The text is read in pieces and never held as a whole.

#if !__has_include(<nlohmann/json.hpp>)
#error "snack/io/safetensors.hpp needs nlohmann-json 3.11 or newer: Debian and Ubuntu have nlohmann-json3-dev"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <snack/io/dtype.hpp>
#include <snack/io/header_text.hpp>
#include <snack/io/quote.hpp>
#include <snack/io/source.hpp>

namespace snack::inline v0::io {

/// A tensor as the header describes it; all of it has been checked against the file.
struct TensorInfo {
    std::string name;
    DType dtype = DType::F32;
    std::vector<Size> shape;  ///< empty for a single number
    Size elements = 0;        ///< the product of the shape
    Size begin = 0;           ///< its bytes in the file are [begin, end)
    Size end = 0;
    Size described_at = 0;  ///< the byte of the header where its description ends, for messages
};

using Metadata = std::map<std::string, std::string, std::less<>>;

/// What a header says.
struct SafetensorsTable {
    std::vector<TensorInfo> tensors;  ///< sorted by name
    Metadata metadata;
};

namespace detail {

/// What the parser calls for each thing that it meets; accepts what a header may hold and nothing else.
class HeaderEvents {
public:
    HeaderEvents(const Source& source, const Budget& budget, const HeaderText& text, Size data_begin)
        : source_(source), budget_(budget), text_(text), data_begin_(data_begin) {}

    SafetensorsTable table;

    bool start_object(std::size_t) {
        enter();
        if (place_ == Place::outside) {
            place_ = Place::file;
        } else if (place_ == Place::file && key_ == "__metadata__") {
            check(!has_metadata_, "'__metadata__' stands twice");
            has_metadata_ = true;
            place_ = Place::metadata;
        } else if (place_ == Place::file) {
            check(static_cast<Size>(table.tensors.size()) < budget_.tensors, "there are more than ", budget_.tensors,
                  " tensors, the budget");
            table.tensors.emplace_back().name = key_;
            seen_ = {};
            place_ = Place::tensor;
        } else {
            refuse("an object");
        }
        return true;
    }

    bool end_object() {
        --depth_;
        if (place_ == Place::tensor) {
            finish(table.tensors.back());
        }
        place_ = place_ == Place::file ? Place::outside : Place::file;
        return true;
    }

    bool start_array(std::size_t) {
        enter();
        if (place_ == Place::tensor && key_ == "shape") {
            place_ = Place::shape;
        } else if (place_ == Place::tensor && key_ == "data_offsets") {
            place_ = Place::offsets;
        } else {
            refuse("an array");
        }
        numbers_.clear();
        return true;
    }

    bool end_array() {
        --depth_;
        TensorInfo& tensor = table.tensors.back();
        if (place_ == Place::shape) {
            tensor.shape.assign(numbers_.begin(), numbers_.end());
        } else {
            check(numbers_.size() == 2, "tensor ", quote(tensor.name), " has ", numbers_.size(),
                  " data_offsets, 2 are wanted");
            tensor.begin = numbers_[0];
            tensor.end = numbers_[1];
        }
        place_ = Place::tensor;
        return true;
    }

    bool key(std::string& name) {
        key_.swap(name);
        if (place_ == Place::tensor) {
            const int which = key_ == "dtype" ? 0 : key_ == "shape" ? 1 : key_ == "data_offsets" ? 2 : -1;
            check(which >= 0, "tensor ", quote(table.tensors.back().name), " has ", quote(key_),
                  "; only dtype, shape and data_offsets are known");
            check(!seen_[static_cast<std::size_t>(which)], "tensor ", quote(table.tensors.back().name), ": ",
                  quote(key_), " stands twice");
            seen_[static_cast<std::size_t>(which)] = true;
        }
        return true;
    }

    bool string(std::string& text) {
        if (place_ == Place::metadata) {
            check(static_cast<Size>(table.metadata.size()) < budget_.tensors, "there are more than ", budget_.tensors,
                  " metadata, the budget for tensors");
            check(table.metadata.emplace(key_, text).second, "metadata ", quote(key_), " stands twice");
        } else if (place_ == Place::tensor && key_ == "dtype") {
            table.tensors.back().dtype = dtype_named(text);
        } else {
            refuse("a string");
        }
        return true;
    }

    bool number_unsigned(std::uint64_t number) {
        if (place_ != Place::shape && place_ != Place::offsets) {
            refuse("a number");
        }
        check(number <= 0x7fffffffffffffff, number, " passes 2^63 - 1");
        check(place_ == Place::offsets || static_cast<Size>(numbers_.size()) < budget_.dimensions, "tensor ",
              quote(table.tensors.back().name), " has more than ", budget_.dimensions, " dimensions, the budget");
        check(place_ == Place::shape || numbers_.size() < 2, "tensor ", quote(table.tensors.back().name),
              " has more than 2 data_offsets");
        numbers_.push_back(static_cast<Size>(number));
        return true;
    }

    bool number_integer(std::int64_t) { return refuse("a negative number"); }
    bool number_float(double, const std::string& digits) { return refuse(("the number " + shorten(digits)).c_str()); }
    bool boolean(bool) { return refuse("a boolean"); }
    bool null() { return refuse("null"); }
    bool binary(std::vector<std::uint8_t>&) { return refuse("binary"); }

    /// The parser's own words, without its prefix in brackets.
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
        const std::string_view text = error.what();
        const std::size_t prefix = text.find("] ");
        check(false, "the header is not JSON: ", shorten(prefix < text.size() ? text.substr(prefix + 2) : text));
        return false;
    }

private:
    enum class Place { outside, file, metadata, tensor, shape, offsets };

    template <class... Parts>
    void check(bool condition, const Parts&... parts) const {
        require<FormatError>(condition, source_.name().c_str(), "byte ", text_.position(), ": ", parts...);
    }

    /// For something that may not stand here.
    bool refuse(const char* what) const {
        constexpr const char* wanted[] = {"an object is wanted",
                                          "an object is wanted for each name",
                                          "metadata are strings",
                                          "dtype is a string, shape and data_offsets are arrays",
                                          "a shape is whole numbers from 0 on",
                                          "data_offsets are whole numbers from 0 on"};
        check(false, what, " after ", quote(key_), ": ", wanted[static_cast<int>(place_)]);
        return false;
    }

    void enter() {
        check(++depth_ <= budget_.json_depth, "brackets are deeper than ", budget_.json_depth, ", the budget");
    }

    DType dtype_named(const std::string& text) const {
        for (const DType type : every_dtype) {
            if (text == name_of(type)) {
                return type;
            }
        }
        for (const DType type : opaque_dtypes) {
            if (text == name_of(type)) {
                return type;
            }
        }
        check(false, "tensor ", quote(table.tensors.back().name), " has the unknown dtype ", quote(text));
        return DType::F32;
    }

    /// Compares what was said about a tensor with itself and the file.
    void finish(TensorInfo& tensor) const {
        const Quoted name = quote(tensor.name);
        constexpr const char* parts[] = {"dtype", "shape", "data_offsets"};
        for (std::size_t i = 0; i < 3; ++i) {
            check(seen_[i], "tensor ", name, " has no ", parts[i]);
        }
        Size elements = 1;
        bool fits = true;
        for (const Size extent : tensor.shape) {
            fits = fits && !__builtin_mul_overflow(elements, extent, &elements);
        }
        check(!fits || elements % 8 * bits_of(tensor.dtype) % 8 == 0, "tensor ", name, ": ", elements, " elements of ",
              name_of(tensor.dtype), " end inside a byte");
        const Size bytes = fits ? bytes_of(tensor.dtype, elements) : -1;
        check(bytes >= 0, "tensor ", name, ": the product of its shape passes 2^63 - 1 bytes");
        check(elements <= budget_.elements, "tensor ", name, " has ", elements, " elements, the budget is ",
              budget_.elements);
        const Size data_bytes = source_.size() - data_begin_;
        check(tensor.begin <= tensor.end && tensor.end <= data_bytes, "tensor ", name, " has the data_offsets [",
              tensor.begin, ", ", tensor.end, "], there are ", data_bytes, " bytes of data");
        check(tensor.end - tensor.begin == bytes, "tensor ", name, " has ", tensor.end - tensor.begin,
              " bytes, its shape needs ", bytes);
        tensor.elements = elements;
        tensor.begin += data_begin_;
        tensor.end += data_begin_;
        tensor.described_at = text_.position();
    }

    const Source& source_;
    const Budget& budget_;
    const HeaderText& text_;
    Size data_begin_;
    Place place_ = Place::outside;
    int depth_ = 0;
    bool has_metadata_ = false;
    std::array<bool, 3> seen_ = {};  // dtype, shape, data_offsets of the last tensor
    std::string key_;
    std::vector<Size> numbers_;
};

/// The bytes of the tensors must follow one another, from the header to the end of the file.
inline void check_places(const Source& source, const std::vector<TensorInfo>& tensors, Size data_begin) {
    std::vector<const TensorInfo*> by_place;
    by_place.reserve(tensors.size());
    for (const TensorInfo& tensor : tensors) {
        by_place.push_back(&tensor);
    }
    std::sort(by_place.begin(), by_place.end(), [](const TensorInfo* a, const TensorInfo* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    Size reached = data_begin;
    for (const TensorInfo* tensor : by_place) {
        require<FormatError>(
            tensor->begin == reached, source.name().c_str(), "byte ", tensor->described_at, ": tensor ",
            quote(tensor->name), " begins at byte ", tensor->begin, " of the file, ",
            tensor->begin < reached ? "inside another one, which ends at " : "and no tensor has the bytes from ",
            reached);
        reached = tensor->end;
    }
    require<FormatError>(reached == source.size(), source.name().c_str(), "byte ", reached,
                         ": the tensors end here, the file at byte ", source.size());
}

}  // namespace detail

/// Reads and checks the header; nothing is allocated for sizes that the file does not have. O(header) time and, for
/// n tensors, n log n.
/// @throws FormatError, with the byte, for anything but a header of the format, and beyond the budget; FileError
inline SafetensorsTable read_safetensors_header(const Source& source, const Budget& budget) {
    const char* const where = source.name().c_str();
    require<FormatError>(source.size() <= budget.file_bytes, where, "has ", source.size(), " bytes, the budget is ",
                         budget.file_bytes);
    require<FormatError>(source.size() >= 8, where, "has ", source.size(), " bytes, the size of a header takes 8");
    std::uint64_t header = 0;
    source.read(0, std::as_writable_bytes(std::span(&header, 1)));
    require<FormatError>(header <= static_cast<std::uint64_t>(source.size() - 8), where, "byte 0: the header has ",
                         header, " bytes, the file only ", source.size() - 8, " more");
    require<FormatError>(header <= static_cast<std::uint64_t>(budget.header_bytes), where, "byte 0: the header has ",
                         header, " bytes, the budget is ", budget.header_bytes);

    const Size data_begin = 8 + static_cast<Size>(header);
    detail::HeaderText text(source, 8, data_begin, budget);
    require<FormatError>(!text.at_end() && text.current() == '{', where, "byte 8: the header does not begin with '{'");
    detail::HeaderEvents events(source, budget, text, data_begin);
    nlohmann::json::sax_parse(detail::HeaderIterator(&text), detail::HeaderIterator(nullptr), &events);

    std::vector<TensorInfo>& tensors = events.table.tensors;
    std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        require<FormatError>(tensors[i - 1].name != tensors[i].name, where, "byte ",
                             std::max(tensors[i - 1].described_at, tensors[i].described_at), ": tensor ",
                             quote(tensors[i].name), " stands twice");
    }
    detail::check_places(source, tensors, data_begin);
    return std::move(events.table);
}

}  // namespace snack::inline v0::io
