// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sorts the entries of a file by cell, with all threads. One pass through memory deals them out to buckets by their
// highest bits, and each bucket is sorted where it fits into a cache.

#include <algorithm>
#include <atomic>
#include <utility>

#include <snack/core/scalar.hpp>
#include <snack/io/large_buffer.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/radix_sort.hpp>

namespace snack::inline v0::io::detail {

/// Sorts `cells` in [0, bound), which `values` follow.
template <Scalar T>
class EntrySort {
public:
    EntrySort(Buffer<Size>& cells, Buffer<T>& values, Size bound)
        : cells_(cells.data()), values_(values.data()), count_(cells.size()) {
        constexpr Size per_bucket = 16384;  // twice as many fit into a level-2 cache
        const int bits = snack::detail::bits_below(bound);
        const int high = std::min({bits, snack::detail::bits_below(count_ / per_bucket), digit_bits});
        low_bits_ = bits - high;
        buckets_ = Size{1} << high;
    }

    /// Returns whether no cell is there twice. O(count) time; memory for a second copy of the entries.
    bool sort(HostContext& ctx) {
        Buffer<Entry> entries = large_buffer<Entry>(count_, ctx.allocator());
        Buffer<Size> bounds(buckets_ + 1, ctx.allocator());
        deal_out(ctx, entries, bounds);
        std::atomic<bool> unique{true};
        ctx.parallel_for(buckets_, [&](Size bucket) {
            if (!sort_bucket(entries.data(), bounds[bucket], bounds[bucket + 1])) {
                unique.store(false, std::memory_order_relaxed);
            }
        });
        return unique;
    }

private:
    static constexpr int digit_bits = 11;

    struct Entry {
        Size cell;
        T value;
    };

    /// Puts the entries into buckets, in their order. Each task counts, and then moves, a slab of them.
    /// @param bounds  where buckets begin and the last one ends
    void deal_out(HostContext& ctx, Buffer<Entry>& entries, Buffer<Size>& bounds) {
        const Size slabs = 4 * Size{ctx.threads()};
        const Size slab_length = (count_ + slabs - 1) / slabs;
        Buffer<Size> next(slabs * buckets_, 0, ctx.allocator());
        const auto for_each_entry_of = [&](Size slab, const auto& body) {
            const Size end = std::min(slab_length * (slab + 1), count_);
            for (Size e = slab_length * slab; e < end; ++e) {
                body(e, next.data()[slab * buckets_ + (cells_[e] >> low_bits_)]);
            }
        };
        ctx.parallel_for(slabs, [&](Size slab) { for_each_entry_of(slab, [](Size, Size& count) { ++count; }); });
        Size sum = 0;
        for (Size bucket = 0; bucket < buckets_; ++bucket) {
            bounds[bucket] = sum;
            for (Size slab = 0; slab < slabs; ++slab) {
                sum += std::exchange(next[slab * buckets_ + bucket], sum);
            }
        }
        bounds[buckets_] = sum;
        ctx.parallel_for(slabs, [&](Size slab) {
            for_each_entry_of(slab, [&](Size e, Size& to) { entries[to++] = {cells_[e], values_[e]}; });
        });
    }

    /// Counting passes from the low bits to the high ones, there and back between `entries` and the arrays, where
    /// the last one ends: their number is odd.
    bool sort_bucket(Entry* entries, Size begin, Size end) {
        const int passes = ((low_bits_ + digit_bits - 1) / digit_bits) | 1;
        const int digit = (low_bits_ + passes - 1) / passes;
        for (int pass = 0; pass < passes && begin < end; ++pass) {
            const auto digit_of = [shift = pass * digit, mask = (Size{1} << digit) - 1](Size cell) {
                return cell >> shift & mask;
            };
            Size next[Size{1} << digit_bits];
            std::fill_n(next, Size{1} << digit, 0);
            const bool there = pass % 2 == 0;
            for (Size e = begin; e < end; ++e) {
                ++next[digit_of(there ? entries[e].cell : cells_[e])];
            }
            Size sum = begin;
            for (Size i = 0; i < Size{1} << digit; ++i) {
                sum += std::exchange(next[i], sum);
            }
            for (Size e = begin; e < end; ++e) {
                if (there) {
                    const Size to = next[digit_of(entries[e].cell)]++;
                    cells_[to] = entries[e].cell;
                    values_[to] = entries[e].value;
                } else {
                    entries[next[digit_of(cells_[e])]++] = {cells_[e], values_[e]};
                }
            }
        }
        return std::adjacent_find(cells_ + begin, cells_ + end) == cells_ + end;
    }

    Size* cells_;
    T* values_;
    Size count_;
    int low_bits_ = 0;
    Size buckets_ = 1;
};

}  // namespace snack::inline v0::io::detail
