// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The vocabulary of kernels on the host: the words of DeviceThread, and checks of how they are used.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <snack/core/types.hpp>
#include <snack/simt/host_block.hpp>
#include <snack/simt/pack.hpp>

namespace snack::inline v0::simt {

/// A thread of a block of BlockThreads, run by HostLauncher. DeviceThread says what each word means.
/// A misuse ends the launch with a SimtError that names the line of the call; no kernel passes `at`.
template <int BlockThreads>
class HostThread {
public:
    HostThread(HostBlock& block, int index) : block_(&block), index_(index) {}

    int index() const { return index_; }
    int lane() const { return index_ % warp_size; }
    int warp() const { return index_ / warp_size; }
    static constexpr int threads() { return BlockThreads; }

    Size block_x() const { return block_->block_x(); }
    Size block_y() const { return block_->block_y(); }
    Size blocks_x() const { return block_->shape().blocks_x; }
    Size blocks_y() const { return block_->shape().blocks_y; }
    Size global_index() const { return block_x() * BlockThreads + index_; }

    int cluster_rank() const { return block_->cluster_rank(); }
    int cluster_size() const { return block_->shape().cluster_x; }
    Size cluster_index() const { return block_x() / cluster_size(); }

    void sync_block(SourceLine at = SourceLine::current()) const { block_->meet(index_, {Word::sync_block, at}); }
    void sync_cluster(SourceLine at = SourceLine::current()) const { block_->meet(index_, {Word::sync_cluster, at}); }
    void sync_warp(SourceLine at = SourceLine::current()) const { block_->meet(index_, {Word::sync_warp, at}); }

    template <class T>
    T shuffle(T value, int lane, SourceLine at = SourceLine::current()) const {
        return from_lane(value, lane, lane, {Word::shuffle, at});
    }
    template <class T>
    T shuffle_down(T value, int delta, SourceLine at = SourceLine::current()) const {
        const int source = lane() + delta;
        return from_lane(value, delta, source < warp_size ? source : lane(), {Word::shuffle_down, at});
    }
    template <class T>
    T shuffle_xor(T value, int mask, SourceLine at = SourceLine::current()) const {
        return from_lane(value, mask, lane() ^ mask, {Word::shuffle_xor, at});
    }
    std::uint32_t ballot(bool vote, SourceLine at = SourceLine::current()) const {
        return votes(vote, {Word::ballot, at});
    }
    bool any(bool vote, SourceLine at = SourceLine::current()) const { return votes(vote, {Word::any, at}) != 0; }

    template <class T>
    void atomic_add(T* to, T value, SourceLine at = SourceLine::current()) const {
        static_assert(std::is_floating_point_v<T>, "atomic_add takes float and double");
        check_alignment(to, sizeof(T), {Word::atomic_add, at});
        *to += value;
    }

    void atomic_min(Size* to, Size value, SourceLine at = SourceLine::current()) const {
        check_alignment(to, sizeof(Size), {Word::atomic_min, at});
        *to = value < *to ? value : *to;
    }

    /// Checks that a T at `byte_offset` is aligned and lies within the block's shared memory.
    template <class T>
    T* shared(Size byte_offset = 0, SourceLine at = SourceLine::current()) const {
        const Size bytes = block_->shared_memory().bytes();
        if (byte_offset < 0 || byte_offset > bytes - static_cast<Size>(sizeof(T))) {
            block_->fail(index_, {Word::shared, at}, "offset ", byte_offset, " is out of ", bytes,
                         " bytes of shared memory");
        }
        unsigned char* const address = block_->shared_memory().data() + byte_offset;
        check_alignment(address, alignof(T), {Word::shared, at});
        return reinterpret_cast<T*>(address);
    }

    /// Checks the rank, that `own` is in the block's shared memory, and that the other block is there.
    template <class T>
    T* cluster_shared(T* own, int rank, SourceLine at = SourceLine::current()) const {
        const CallSite site = {Word::cluster_shared, at};
        if (rank < 0 || rank >= cluster_size()) {
            block_->fail(index_, site, "rank ", rank, " is out of 0..", cluster_size() - 1);
        }
        if (!block_->shared_memory().contains(own, sizeof(T))) {
            block_->fail(index_, site, "the address is not in the block's own shared memory");
        }
        HostBlock& there = block_->in_cluster(rank);
        if (there.returned()) {
            block_->fail(index_, site, "block ", rank, " of the cluster has returned");
        }
        return reinterpret_cast<T*>(there.shared_memory().place_of(own, block_->shared_memory()));
    }

    template <class T>
    T load_streaming(const T* from, SourceLine at = SourceLine::current()) const {
        return load_global<T>(from, {Word::load_streaming, at});
    }
    template <class T>
    T load_read_only(const T* from, SourceLine at = SourceLine::current()) const {
        return load_global<T>(from, {Word::load_read_only, at});
    }
    template <int N, class T>
    Pack<T, N> load_pack(const T* from, SourceLine at = SourceLine::current()) const {
        return load<Pack<T, N>>(from, {Word::load_pack, at});
    }
    template <int N, class T>
    Pack<T, N> load_pack_streaming(const T* from, SourceLine at = SourceLine::current()) const {
        return load_global<Pack<T, N>>(from, {Word::load_pack_streaming, at});
    }
    template <int N, class T>
    void store_pack(T* to, const Pack<T, N>& pack, SourceLine at = SourceLine::current()) const {
        check_alignment(to, sizeof pack, {Word::store_pack, at});
        std::memcpy(to, &pack, sizeof pack);
    }

    /// Checks both sides' alignment, that the destination is the block's shared memory, and that the source is not.
    template <int Bytes>
    void copy_async(void* shared, const void* global, SourceLine at = SourceLine::current()) const {
        static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies 4, 8 or 16 bytes");
        const CallSite site = {Word::copy_async, at};
        check_alignment(shared, Bytes, site);
        check_alignment(global, Bytes, site);
        if (!block_->shared_memory().contains(shared, Bytes)) {
            block_->fail(index_, site, "the destination is not in shared memory");
        }
        check_global(global, site);
        block_->copies(index_).add(shared, global, Bytes, site);
    }
    void commit_async() const { block_->copies(index_).commit(); }
    template <int PendingGroups>
    void wait_async() const {
        static_assert(PendingGroups >= 0);
        block_->copies(index_).wait(PendingGroups);
    }

private:
    /// Meets the warp and returns the value that lane `source` brought. `operand` is what the
    /// kernel passed, and must be in 0..31.
    template <class T>
    T from_lane(T value, int operand, int source, const CallSite& site) const {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
        if (operand < 0 || operand >= warp_size) {
            block_->fail(index_, site, operand, " is out of 0..31");
        }
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        const std::uint64_t* const values = block_->exchange(index_, site, bits);
        std::memcpy(&value, values + 2 * source, sizeof value);
        return value;
    }

    std::uint32_t votes(bool vote, const CallSite& site) const {
        const std::uint64_t* const values = block_->exchange(index_, site, vote);
        std::uint32_t mask = 0;
        for (int lane = 0; lane < warp_size; ++lane) {
            mask |= static_cast<std::uint32_t>(values[2 * lane]) << lane;
        }
        return mask;
    }

    template <class To, class T>
    To load(const T* from, const CallSite& site) const {
        static_assert(sizeof(To) == 2 || sizeof(To) == 4 || sizeof(To) == 8 || sizeof(To) == 16);
        check_alignment(from, sizeof(To), site);
        To to;
        std::memcpy(&to, from, sizeof to);
        return to;
    }

    /// A load that on a device is one of global memory.
    template <class To, class T>
    To load_global(const T* from, const CallSite& site) const {
        check_global(from, site);
        return load<To>(from, site);
    }

    void check_global(const void* address, const CallSite& site) const {
        if (block_->is_shared(address)) {
            block_->fail(index_, site, "it reads global memory alone, and the address is in shared memory");
        }
    }

    void check_alignment(const void* address, std::size_t bytes, const CallSite& site) const {
        if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) {
            block_->fail(index_, site, "the address is not a multiple of ", bytes, " bytes");
        }
    }

    HostBlock* block_;
    int index_;
};

}  // namespace snack::inline v0::simt
