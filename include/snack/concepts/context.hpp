// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What an operation may ask of its context: memory and a way to run independent tasks.
// `HostContext` is the one on the host; code that is written against this concept, such as the
// optimisers, runs with any other.

#include <concepts>

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// Hands out owning arrays in its memory space and scratch space that stays where it is.
template <class C>
concept AllocatesMemory = requires(C& context) {
    typename C::space;
    typename C::template buffer<float>;
    { context.template allocate<float>(Size{}) } -> std::same_as<typename C::template buffer<float>>;
    context.template scratch<float>(int{}, Size{});
    context.allocator();
};

/// Runs pieces of [0, count), cut by the arguments alone.
template <class C>
concept RunsRanges = requires(C& context) {
    context.parallel_ranges(Size{}, Size{}, [](Size, Size) {});
};

template <class C>
concept Context = AllocatesMemory<C> && RunsRanges<C>;

}  // namespace snack::inline v0
