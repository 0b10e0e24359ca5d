// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Indices in 16 bits where all of them fit, else in 32: an entry in float then costs a sparse
// product 6 bytes instead of 8. What the plans of the host backend are made of.

#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include <snack/memory/buffer.hpp>

namespace snack::inline v0::detail::host {

class NarrowArray {
public:
    /// Uninitialised elements that will hold values below `bound`, at most 2^32.
    NarrowArray(Size size, Size bound, Allocator* allocator) {
        if (bound - 1 <= static_cast<Size>(std::numeric_limits<std::uint16_t>::max())) {
            array_ = Buffer<std::uint16_t>(size, allocator);
        } else {
            array_ = Buffer<std::uint32_t>(size, allocator);
        }
    }

    /// Calls visit(T* elements) with the type in use.
    template <class Visit>
    void visit(const Visit& visit) {
        std::visit([&](auto& buffer) { visit(buffer.data()); }, array_);
    }
    template <class Visit>
    void visit(const Visit& visit) const {
        std::visit([&](const auto& buffer) { visit(buffer.data()); }, array_);
    }

    Size bytes() const {
        return std::visit([](const auto& buffer) { return buffer.bytes(); }, array_);
    }

private:
    std::variant<Buffer<std::uint16_t>, Buffer<std::uint32_t>> array_;
};

}  // namespace snack::inline v0::detail::host
