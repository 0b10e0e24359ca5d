// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The vocabulary of kernels on a GPU: each word is one intrinsic or one instruction.
// HostThread has the same words for a machine without a GPU; a kernel is written against both.

#include <cstring>

#include <cuda_runtime.h>

#include <snack/core/types.hpp>
#include <snack/simt/launch_shape.hpp>
#include <snack/simt/pack.hpp>

namespace snack::inline v0::simt {

/// The built-in type of Bytes bytes that the load and shuffle intrinsics take.
template <int Bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
    using type = unsigned short;
};
template <>
struct BitsOf<4> {
    using type = unsigned;
};
template <>
struct BitsOf<8> {
    using type = unsigned long long;
};
template <>
struct BitsOf<16> {
    using type = uint4;
};
template <class T>
using Bits = typename BitsOf<static_cast<int>(sizeof(T))>::type;

/// By value: a reference to global memory would be read byte by byte.
template <class To, class From>
__device__ __forceinline__ To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/// A thread of a block of BlockThreads. Collectives are for all threads of the cluster (sync_cluster),
/// of the block (sync_block) or all 32 lanes of the warp (the others), never for some of them.
template <int BlockThreads>
class DeviceThread {
public:
    __device__ int index() const { return static_cast<int>(threadIdx.x); }
    __device__ int lane() const { return index() % warp_size; }
    __device__ int warp() const { return index() / warp_size; }
    __host__ __device__ static constexpr int threads() { return BlockThreads; }

    __device__ Size block_x() const { return blockIdx.x; }
    __device__ Size block_y() const { return blockIdx.y; }
    __device__ Size blocks_x() const { return gridDim.x; }
    __device__ Size blocks_y() const { return gridDim.y; }
    __device__ Size global_index() const { return block_x() * BlockThreads + index(); }

    /// Place of the block in its cluster of LaunchShape::cluster_x neighbours, and of the cluster in its row
    /// of the grid. A launch without clusters has clusters of one block, as has all code for less than sm_90.
    __device__ int cluster_rank() const {
        unsigned rank = 0;
        if constexpr (has_clusters) {
            asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        }
        return static_cast<int>(rank);
    }
    __device__ int cluster_size() const {
        unsigned size = 1;
        if constexpr (has_clusters) {
            asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
        }
        return static_cast<int>(size);
    }
    __device__ Size cluster_index() const {
        unsigned index = blockIdx.x;
        if constexpr (has_clusters) {
            asm("mov.u32 %0, %%clusterid.x;" : "=r"(index));
        }
        return index;
    }

    __device__ void sync_block() const { __syncthreads(); }
    /// A barrier for all blocks of the cluster; orders their accesses to each other's shared memory.
    __device__ void sync_cluster() const {
        if constexpr (has_clusters) {
            asm volatile("barrier.cluster.arrive.release;" ::: "memory");
            asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        } else {
            __syncthreads();
        }
    }
    __device__ void sync_warp() const { __syncwarp(); }

    /// The value of lane `lane`, in 0..31.
    template <class T>
    __device__ T shuffle(T value, int lane) const {
        return bits_as<T>(__shfl_sync(all_lanes, bits_as<Bits<T>>(value), lane));
    }
    /// The value of the lane `delta` further on; a lane that has none keeps its own.
    template <class T>
    __device__ T shuffle_down(T value, int delta) const {
        return bits_as<T>(__shfl_down_sync(all_lanes, bits_as<Bits<T>>(value), static_cast<unsigned>(delta)));
    }
    template <class T>
    __device__ T shuffle_xor(T value, int mask) const {
        return bits_as<T>(__shfl_xor_sync(all_lanes, bits_as<Bits<T>>(value), mask));
    }
    __device__ std::uint32_t ballot(bool vote) const { return __ballot_sync(all_lanes, vote); }
    __device__ bool any(bool vote) const { return __any_sync(all_lanes, vote) != 0; }

    /// *to += value in global or shared memory, for float and double; relaxed, in no order.
    template <class T>
    __device__ void atomic_add(T* to, T value) const {
        atomicAdd(to, value);
    }

    /// *to = min(*to, value) in global or shared memory.
    __device__ void atomic_min(Size* to, Size value) const {
        atomicMin(reinterpret_cast<long long*>(to), static_cast<long long>(value));
    }

    /// The block's dynamic shared memory from `byte_offset` on; it begins on a 16-byte boundary.
    template <class T>
    __device__ T* shared(Size byte_offset = 0) const {
        extern __shared__ uint4 dynamic_shared[];
        return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(dynamic_shared) + byte_offset);
    }

    /// The place of `own`, which is in this block's shared memory, in that of block `rank` of the cluster: for
    /// plain loads and stores, load_pack, store_pack and atomics, not for the words that read global memory alone.
    /// It can be reached between two sync_cluster calls: before the first, that block may not have begun; after
    /// its last, it may have ended.
    template <class T>
    __device__ T* cluster_shared(T* own, int rank) const {
        T* there = own;
        if constexpr (has_clusters) {
            asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
        }
        return there;
    }

    /// A load of what is read once and should not push anything else out of the caches. This and the other
    /// streaming and read-only loads are for global memory alone: shared memory is a fault.
    template <class T>
    __device__ T load_streaming(const T* from) const {
        return bits_as<T>(__ldcs(reinterpret_cast<const Bits<T>*>(from)));
    }
    /// A load of what no thread of the grid writes.
    template <class T>
    __device__ T load_read_only(const T* from) const {
        return bits_as<T>(__ldg(reinterpret_cast<const Bits<T>*>(from)));
    }

    /// N neighbours in one access; `from` and `to` are aligned to the whole pack.
    template <int N, class T>
    __device__ Pack<T, N> load_pack(const T* from) const {
        using P = Pack<T, N>;
        return bits_as<P>(*reinterpret_cast<const Bits<P>*>(from));
    }
    template <int N, class T>
    __device__ Pack<T, N> load_pack_streaming(const T* from) const {
        using P = Pack<T, N>;
        return bits_as<P>(__ldcs(reinterpret_cast<const Bits<P>*>(from)));
    }
    template <int N, class T>
    __device__ void store_pack(T* to, const Pack<T, N>& pack) const {
        using P = Pack<T, N>;
        *reinterpret_cast<Bits<P>*>(to) = bits_as<Bits<P>>(pack);
    }

    /// Begins a copy of 4, 8 or 16 bytes from global to the block's own shared memory, both sides aligned to their
    /// number (sm_80 and newer). The data is there for this thread after wait_async, for others after a barrier as
    /// well.
    template <int Bytes>
    __device__ void copy_async(void* shared, const void* global) const {
        static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies 4, 8 or 16 bytes");
        const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
        if constexpr (Bytes == 16) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
        } else {
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes) : "memory");
        }
    }
    /// Closes a group of the copies begun since the last one.
    __device__ void commit_async() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
    /// Waits until at most PendingGroups of this thread's newest groups are under way.
    template <int PendingGroups>
    __device__ void wait_async() const {
        asm volatile("cp.async.wait_group %0;" ::"n"(PendingGroups) : "memory");
    }

private:
    static constexpr unsigned all_lanes = 0xffffffffu;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    static constexpr bool has_clusters = true;
#else
    static constexpr bool has_clusters = false;
#endif
};

}  // namespace snack::inline v0::simt
