// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The operands of a test's kernels in a context, on the host or on a GPU.

#include <span>
#include <vector>

#include <snack/core/types.hpp>

namespace tests {

using snack::Size;

/// The numbers of a vector where kernels reach them.
template <class Context, class T>
class Operand {
public:
    Operand(Context& ctx, const std::vector<T>& numbers)
        : ctx_(ctx), buffer_(ctx.template allocate<T>(static_cast<Size>(numbers.size()))) {
        ctx.copy_from_host(std::span<const T>(numbers), buffer_.span());
    }

    T* data() { return buffer_.span().data(); }

    std::vector<T> numbers() const {
        std::vector<T> copy(buffer_.span().size());
        ctx_.copy_to_host(buffer_.span(), std::span<T>(copy));
        return copy;
    }

private:
    Context& ctx_;
    typename Context::template buffer<T> buffer_;
};

}  // namespace tests
