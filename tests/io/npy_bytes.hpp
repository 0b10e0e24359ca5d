// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The bytes of .npy files, put together by hand.

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// A file of the version with this dictionary, in front of these bytes.
inline std::string npy_file(const std::string& dictionary, const std::string& data, int version = 1) {
    std::string file = "\x93NUMPY";
    file += static_cast<char>(version);
    file += '\0';
    const std::size_t length = dictionary.size();
    for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) {
        file += static_cast<char>(length >> (8 * byte) & 0xff);
    }
    return file + dictionary + data;
}

/// The dictionary as NumPy writes it.
inline std::string npy_dictionary(const std::string& descr, const std::string& shape, bool fortran_order = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + shape +
           ", }\n";
}

/// The bytes of numbers, in the order of this machine or the other one.
template <class T>
std::string bytes_of_numbers(const std::vector<T>& numbers, bool reversed = false) {
    std::string bytes;
    for (const T number : numbers) {
        char element[sizeof(T)];
        std::memcpy(element, &number, sizeof(T));
        bytes += reversed ? std::string(std::rbegin(element), std::rend(element)) : std::string(element, sizeof(T));
    }
    return bytes;
}

}  // namespace tests
