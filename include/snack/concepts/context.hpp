// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What an operation may ask of its context: memory, copies, and a way to run over elements.
// `HostContext` is the one on the host, `CudaContext` that on a GPU; code that is written against this
// concept, such as the optimisers, runs with either.

#include <concepts>
#include <span>

#include <snack/core/span.hpp>

namespace snack::inline v0 {

/// Hands out owning arrays in its memory space and scratch space that stays where it is.
template <class C>
concept AllocatesMemory = requires(C& context) {
    typename C::space;
    typename C::template buffer<float>;
    { context.template allocate<float>(Size{}) } -> std::same_as<typename C::template buffer<float>>;
    context.template scratch<float>(int{}, Size{});
};

namespace detail {

struct DoNothing {
    SNACK_HOST_DEVICE void operator()(Size) const {}
};

}  // namespace detail

/// Fills and copies arrays of its memory space, and copies from and to the host.
template <class C>
concept MovesData = requires(C& context, SpanIn<float, typename C::space> to,
                             SpanIn<const float, typename C::space> from, std::span<float> host_to,
                             std::span<const float> host_from) {
    context.fill(to, 0.0f);
    context.copy(from, to);
    context.copy_from_host(host_from, to);
    context.copy_to_host(from, host_to);
};

/// Calls a functor for each index of [0, count); on a GPU its call operator is a SNACK_HOST_DEVICE function.
template <class C>
concept RunsElements = requires(C& context) {
    context.for_each_index(Size{}, detail::DoNothing());
};

/// Optional: the context can tell memory that its work cannot use, and refuses it in the name of a call.
template <class C>
concept ChecksMemory = requires(const C& context, const void* data) {
    context.require_own("the call", "the operand", data);
};

/// Optional: memory is freed in the order of the stream that it was taken for, which may not be the context's, and
/// not while that records a graph.
template <class C>
concept FreesInOrder = requires(const C& context, const typename C::template buffer<float>& buffer) {
    context.require_not_capturing("the call");
    context.finish_before_freeing(buffer);
};

template <class C>
concept Context = AllocatesMemory<C> && MovesData<C> && RunsElements<C>;

}  // namespace snack::inline v0
