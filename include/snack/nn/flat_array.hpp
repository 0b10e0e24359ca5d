// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A flat array of parameters that is the layer's own or lies in memory the caller lends.
// Trainers like llm.c keep all parameters of a network in one buffer; a layer can live in it.

#include <cstring>
#include <span>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/memory/buffer.hpp>

namespace snack::inline v0 {

/// Copying makes an array of its own; moving keeps the memory where it is.
template <class T>
class FlatArray {
public:
    FlatArray() = default;
    explicit FlatArray(Buffer<T>&& own) : own_(std::move(own)), view_(own_.span()) {}

    FlatArray(const FlatArray& other) : FlatArray(Buffer<T>(other.size(), other.own_.allocator())) {
        copy_elements(other.view_, view_);
    }
    FlatArray(FlatArray&& other) noexcept
        : own_(std::move(other.own_)), view_(std::exchange(other.view_, std::span<T>())) {}
    FlatArray& operator=(const FlatArray& other) { return *this = FlatArray(other); }
    FlatArray& operator=(FlatArray&& other) noexcept {
        own_ = std::move(other.own_);
        view_ = std::exchange(other.view_, std::span<T>());
        return *this;
    }
    ~FlatArray() = default;

    /// Copies the elements to `memory` of the same extent, which is the array from then on, and
    /// frees its own.
    void move_to(std::span<T> memory) noexcept {
        if (memory.data() == view_.data()) {
            return;
        }
        copy_elements(view_, memory);
        view_ = memory;
        own_ = Buffer<T>(0, own_.allocator());
    }

    /// Overwrites the elements with as many of `from`.
    void assign(std::span<const T> from) noexcept { copy_elements(from, view_); }

    std::span<T> span() noexcept { return view_; }
    std::span<const T> span() const noexcept { return view_; }
    Size size() const noexcept { return static_cast<Size>(view_.size()); }
    Size bytes() const noexcept { return static_cast<Size>(view_.size_bytes()); }

private:
    static void copy_elements(std::span<const T> from, std::span<T> to) noexcept {
        if (!from.empty() && from.data() != to.data()) {
            std::memmove(to.data(), from.data(), from.size_bytes());
        }
    }

    Buffer<T> own_;
    std::span<T> view_;
};

}  // namespace snack::inline v0
