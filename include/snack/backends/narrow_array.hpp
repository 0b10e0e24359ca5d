// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// An array of unsigned integers that takes the narrower of two types if its values allow.
// 16-bit columns instead of 32-bit ones are a third of what a sparse product has to read.

#include <limits>
#include <utility>
#include <variant>

#include <snack/memory/buffer.hpp>

namespace snack::inline v0::detail {

template <class Narrow, class Wide>
class NarrowArray {
public:
    NarrowArray() = default;

    /// Uninitialised elements that will hold values below `bound`.
    NarrowArray(Size size, Size bound, Allocator* allocator) {
        if (bound - 1 <= static_cast<Size>(std::numeric_limits<Narrow>::max())) {
            array_ = Buffer<Narrow>(size, allocator);
        } else {
            array_ = Buffer<Wide>(size, allocator);
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
    std::variant<Buffer<Narrow>, Buffer<Wide>> array_;
};

}  // namespace snack::inline v0::detail
