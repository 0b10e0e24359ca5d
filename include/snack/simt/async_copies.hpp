// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The asynchronous copies of one thread on the host. Each happens as late as it may: at the wait
// that makes it complete. Until then its destination is poisoned, so a missing wait shows.

#include <cstring>
#include <vector>

#include <snack/core/types.hpp>
#include <snack/simt/call_site.hpp>
#include <snack/simt/shared_memory.hpp>

namespace snack::inline v0::simt {

class AsyncCopies {
public:
    void add(void* to, const void* from, std::size_t bytes, const CallSite& site) {
        std::memset(to, poison_byte, bytes);
        copies_.push_back({to, from, bytes, site});
    }

    /// Closes a group; it may be empty and counts all the same.
    void commit() { group_ends_.push_back(copies_.size()); }

    /// Carries out the oldest groups, until `pending` are left.
    void wait(std::size_t pending) {
        if (group_ends_.size() <= pending) {
            return;
        }
        const std::size_t groups = group_ends_.size() - pending;
        const std::size_t done = group_ends_[groups - 1];
        for (std::size_t i = 0; i < done; ++i) {
            std::memcpy(copies_[i].to, copies_[i].from, copies_[i].bytes);
        }
        copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(done));
        group_ends_.erase(group_ends_.begin(), group_ends_.begin() + static_cast<std::ptrdiff_t>(groups));
        for (std::size_t& end : group_ends_) {
            end -= done;
        }
    }

    bool empty() const { return copies_.empty(); }

    /// Where the oldest copy that nobody waited for began.
    const CallSite& oldest() const { return copies_.front().site; }

    void clear() {
        copies_.clear();
        group_ends_.clear();
    }

private:
    struct Copy {
        void* to;
        const void* from;
        std::size_t bytes;
        CallSite site;
    };

    std::vector<Copy> copies_;
    std::vector<std::size_t> group_ends_;
};

}  // namespace snack::inline v0::simt
