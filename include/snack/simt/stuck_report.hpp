// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The text about a block that cannot go on: which threads wait where, and which have returned.

#include <string>

#include <snack/core/error.hpp>
#include <snack/simt/block_schedule.hpp>

namespace snack::inline v0::simt {

/// Whether two threads that cannot go on are in the same place.
inline bool same_place(const BlockSchedule::Thread& a, const BlockSchedule::Thread& b) {
    return a.state == b.state && (a.state != ThreadState::waiting || a.site == b.site);
}

/// Appends the threads that are where `thread` is, in ranges: "48 threads (0-15, 32-63)".
/// Returns how many they are.
inline int append_threads(std::string& text, const BlockSchedule& block, int thread) {
    constexpr int most_ranges = 6;
    std::string list;
    int count = 0;
    int ranges = 0;
    for (int first = 0; first < block.threads();) {
        int end = first;
        while (end < block.threads() && same_place(block[end], block[thread])) {
            ++end;
        }
        if (end == first) {
            ++first;
            continue;
        }
        count += end - first;
        if (++ranges <= most_ranges) {
            list += ranges > 1 ? ", " : "";
            list += std::to_string(first);
            if (end - first > 1) {
                list.append("-").append(std::to_string(end - 1));
            }
        }
        first = end;
    }
    text.append(std::to_string(count)).append(count == 1 ? " thread (" : " threads (");
    text.append(list).append(ranges > most_ranges ? ", ...)" : ")");
    return count;
}

/// "16 threads (0-15) wait at shuffle (kernel.hpp:12); 16 threads (16-31) have returned"
inline std::string places_of_threads(const BlockSchedule& block) {
    constexpr int most_places = 8;
    std::string text;
    int places = 0;
    for (int thread = 0; thread < block.threads() && places < most_places; ++thread) {
        bool told = false;
        for (int earlier = 0; earlier < thread && !told; ++earlier) {
            told = same_place(block[earlier], block[thread]);
        }
        if (!told) {
            text += places++ > 0 ? "; " : "";
            const bool one = append_threads(text, block, thread) == 1;
            if (block.state(thread) == ThreadState::waiting) {
                text += one ? " waits at " : " wait at ";
                append(text, block[thread].site);
            } else {
                text += one ? " has returned" : " have returned";
            }
        }
    }
    return text;
}

}  // namespace snack::inline v0::simt
