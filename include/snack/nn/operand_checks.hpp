// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a layer checks about the views of a call before anything is written.
// Each text names the call, the view, what came and what was wanted.

#include <snack/concepts/context.hpp>
#include <snack/core/error.hpp>
#include <snack/core/matrix_view.hpp>

namespace snack::inline v0::detail {

/// The view must be (batch, wanted); `verb` is what the layer does with it: "takes" or "gives".
template <class T, class Space>
void check_extents(const char* where, const char* name, const MatrixView<T, Space>& view, Size wanted, const char* verb,
                   Size batch) {
    require<ShapeError>(view.features() == wanted, where, name, " has ", view.features(), " features, the layer ", verb,
                        " ", wanted);
    require<ShapeError>(view.batch() == batch, where, name, " has ", view.batch(), " samples, x has ", batch);
}

template <class A, class B, class Space>
void check_layout(const char* where, const char* a_name, const MatrixView<A, Space>& a, const char* b_name,
                  const MatrixView<B, Space>& b) {
    require<ShapeError>(a.layout() == b.layout(), where, a_name, " and ", b_name,
                        " differ in layout; all views of a call share one");
}

/// An input and an output: one layout, and not the same memory.
template <class A, class B, class Space>
void check_pair(const char* where, const char* a_name, const MatrixView<A, Space>& a, const char* b_name,
                const MatrixView<B, Space>& b) {
    check_layout(where, a_name, a, b_name, b);
    require<ShapeError>(a.empty() || b.empty() || static_cast<const void*>(a.data()) != b.data(), where, b_name,
                        " overlaps ", a_name);
}

/// A view or span must lie where the context's work can reach it; nobody looks at an empty one.
template <class Context, class Operand>
void check_memory(const char* where, const char* name, const Context& ctx, const Operand& operand) {
    if constexpr (ChecksMemory<Context>) {
        if (!operand.empty()) {
            ctx.require_own(where, name, operand.data());
        }
    }
}

}  // namespace snack::inline v0::detail
