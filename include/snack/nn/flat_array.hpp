// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A flat array of parameters that is the layer's own or lies in memory the caller lends.
// Trainers like llm.c keep all parameters of a network in one buffer; a layer can live in it.

#include <utility>

#include <snack/concepts/context.hpp>
#include <snack/core/span.hpp>
#include <snack/memory/buffer.hpp>

namespace snack::inline v0 {

/// Copying makes an array of its own, from the same allocator; moving keeps the memory where it is.
template <class T, class Space = HostSpace>
class FlatArray {
public:
    FlatArray() = default;
    explicit FlatArray(BufferIn<T, Space>&& own) : own_(std::move(own)), view_(own_.span()) {}

    FlatArray(const FlatArray& other) : FlatArray(other.own_.similar(other.size())) { own_.copy_from(other.view_); }
    FlatArray(FlatArray&& other) noexcept
        : own_(std::move(other.own_)), view_(std::exchange(other.view_, SpanIn<T, Space>())) {}
    FlatArray& operator=(const FlatArray& other) { return *this = FlatArray(other); }
    FlatArray& operator=(FlatArray&& other) noexcept {
        own_ = std::move(other.own_);
        view_ = std::exchange(other.view_, SpanIn<T, Space>());
        return *this;
    }
    ~FlatArray() = default;

    /// Copies the elements to `memory` of the same extent, which is the array from then on, and
    /// frees its own, on a GPU after the copy.
    template <class Context>
    void move_to(Context& ctx, SpanIn<T, Space> memory) {
        if (memory.data() == view_.data()) {
            return;
        }
        ctx.copy(std::as_const(*this).span(), memory);
        view_ = memory;
        if constexpr (FreesInOrder<Context>) {
            ctx.finish_before_freeing(own_);
        }
        own_ = own_.similar(0);
    }

    SpanIn<T, Space> span() noexcept { return view_; }
    SpanIn<const T, Space> span() const noexcept { return view_; }
    Size size() const noexcept { return static_cast<Size>(view_.size()); }
    Size bytes() const noexcept { return static_cast<Size>(view_.size_bytes()); }

private:
    BufferIn<T, Space> own_;
    SpanIn<T, Space> view_;
};

}  // namespace snack::inline v0
