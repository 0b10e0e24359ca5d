// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sorting and selection on a GPU, by CUB: what initialisers, orders and rewiring are built from. Not
// included by any forward or backward pass, since CUB takes seconds to compile.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <snack/memory/cuda_context.cuh>
#include <snack/sparse/radix_sort.hpp>

namespace snack::inline v0::detail {

/// Runs call(temporary storage, its bytes), first to learn how much is needed; the storage, which can be as
/// large as what is sorted, is not kept. CUB looks at the last error of the thread after its launches, so
/// what somebody else left there is dropped first.
template <class Call>
void with_cub_storage(CudaContext& ctx, const char* where, const Call& call) {
    const DeviceGuard guard(ctx.device(), where);
    std::size_t bytes = 0;
    cudaGetLastError();
    require_cuda(call(nullptr, bytes), where, "cub, for its storage");
    DeviceBuffer<unsigned char> storage = ctx.allocate<unsigned char>(static_cast<Size>(bytes));
    cudaGetLastError();
    require_cuda(call(storage.data(), bytes), where, "cub");
}

/// Sorts keys in [0, bound) ascending.
template <class Key>
void sort_keys(CudaContext& ctx, DeviceBuffer<Key>& keys, Size bound) {
    if (keys.size() < 2) {
        return;
    }
    DeviceBuffer<Key> sorted = ctx.allocate<Key>(keys.size());
    with_cub_storage(ctx, "sort_keys", [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(storage, bytes, keys.data(), sorted.data(), keys.size(), 0,
                                              bits_below(bound), ctx.stream());
    });
    keys.swap(sorted);
}

/// Sorts keys in [0, bound) ascending, stably, and permutes the payload alike.
template <class Key, class Payload>
void sort_pairs(CudaContext& ctx, DeviceBuffer<Key>& keys, DeviceBuffer<Payload>& payload, int key_bits) {
    if (keys.size() < 2) {
        return;
    }
    DeviceBuffer<Key> sorted = ctx.allocate<Key>(keys.size());
    DeviceBuffer<Payload> permuted = ctx.allocate<Payload>(keys.size());
    with_cub_storage(ctx, "sort_pairs", [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, keys.data(), sorted.data(), payload.data(),
                                               permuted.data(), keys.size(), 0, key_bits, ctx.stream());
    });
    keys.swap(sorted);
    payload.swap(permuted);
}

/// Keeps the elements for which `keep` holds, in their order. Waits for the stream, to learn how many.
template <class T, class Keep>
DeviceBuffer<T> select_if(CudaContext& ctx, const DeviceBuffer<T>& elements, const Keep& keep) {
    if (elements.size() == 0) {
        return ctx.allocate<T>(0);
    }
    DeviceBuffer<T> kept = ctx.allocate<T>(elements.size());
    DeviceBuffer<Size> device_count = ctx.allocate<Size>(1);
    with_cub_storage(ctx, "select_if", [&](void* storage, std::size_t& bytes) {
        return cub::DeviceSelect::If(storage, bytes, elements.data(), kept.data(), device_count.data(), elements.size(),
                                     keep, ctx.stream());
    });
    Size count = 0;
    ctx.copy_to_host(std::as_const(device_count).span(), std::span<Size>(&count, 1));
    DeviceBuffer<T> exact = ctx.allocate<T>(count);
    ctx.copy(std::as_const(kept).span(), exact.span());
    return exact;
}

}  // namespace snack::inline v0::detail
