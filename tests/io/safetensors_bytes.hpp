// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Safetensors files as tests make them: byte by byte.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include <snack/io/safetensors.hpp>
#include <tests/io/text_source.hpp>

namespace tests {

/// The bytes of numbers, one after another.
template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
    std::string bytes(numbers.size() * sizeof(T), '\0');
    if (numbers.size() > 0) {
        std::memcpy(bytes.data(), std::data(numbers), bytes.size());
    }
    return bytes;
}

/// A file with this JSON text and these bytes of data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data = {}) {
    return bytes_of<std::uint64_t>({header.size()}) + header + data;
}

inline std::shared_ptr<const snack::io::Source> source_of(std::string bytes) {
    return std::make_shared<TextSource>(std::move(bytes), "made.up");
}

/// A file of one tensor "a".
inline snack::io::Safetensors one_tensor(const std::string& dtype, const std::string& shape, const std::string& data) {
    return snack::io::Safetensors(
        source_of(safetensors_bytes(R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[0,)" +
                                        std::to_string(data.size()) + "]}}",
                                    data)));
}

}  // namespace tests
