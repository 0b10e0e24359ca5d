// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What an operation on the host needs besides its operands: threads, memory, scratch space.
// It is the first argument of every operation; the library has no global state instead.
// A context serves one thread at a time. A const layer may serve many, each with its own.

#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>

#include <snack/core/error.hpp>
#include <snack/memory/buffer.hpp>
#include <snack/memory/executor.hpp>
#include <snack/memory/grain.hpp>
#include <snack/memory/scratch_blocks.hpp>
#include <snack/memory/thread_pool.hpp>

namespace snack::inline v0 {

class HostContext {
public:
    using space = HostSpace;
    template <class T>
    using buffer = Buffer<T>;

    struct Options {
        int threads = 0;                 ///< 0: as many as the machine runs at once; ignored with an executor
        Allocator* allocator = nullptr;  ///< borrowed; null means operator new
        Executor* executor = nullptr;    ///< borrowed; null means a pool of the context's own
    };

    HostContext() : HostContext(Options{}) {}

    /// @throws ArgumentError for a number of threads below 0 or above 4096
    explicit HostContext(const Options& options) : allocator_(options.allocator), borrowed_(options.executor) {
        require<ArgumentError>(options.threads >= 0 && options.threads <= most_threads, "HostContext", options.threads,
                               " threads; it takes 1 to ", most_threads, ", or 0 for all");
        if (borrowed_ == nullptr) {
            const int available = static_cast<int>(std::thread::hardware_concurrency());
            const int threads = options.threads > 0 ? options.threads : (available > 0 ? available : 1);
            pool_ = std::make_unique<ThreadPool>(threads);
        }
    }

    /// Scratch space and pool move along; a moved-from context can only be destroyed or assigned to.
    HostContext(HostContext&&) noexcept = default;
    HostContext& operator=(HostContext&&) noexcept = default;

    /// How many tasks run at once.
    int threads() const noexcept { return executor().concurrency(); }

    /// Where this context takes memory from; null means operator new.
    Allocator* allocator() const noexcept { return allocator_; }

    /// Runs body(0) ... body(tasks - 1), each once and in any order, and waits for all.
    /// The body must not throw, and must not call parallel_for of this context.
    template <class Body>
    void parallel_for(Size tasks, const Body& body) {
        if (tasks == 1) {
            body(Size{0});
        } else if (tasks > 1) {
            executor().parallel_for(tasks, TaskRef(body));
        }
    }

    /// Runs body(begin, end) over [0, count) in pieces of about `grain`; one piece runs inline.
    /// Where the pieces begin depends on the arguments alone, not on the number of threads.
    template <class Body>
    void parallel_ranges(Size count, Size grain, const Body& body) {
        const Size pieces = count <= grain ? (count > 0) : (count + grain - 1) / grain;
        parallel_for(pieces, [&](Size piece) {
            const Size begin = piece * grain;
            body(begin, begin + grain < count ? begin + grain : count);
        });
    }

    /// body(i) for each i in [0, count), in pieces of some ten microseconds; as parallel_for.
    template <class Body>
    void for_each_index(Size count, const Body& body) {
        parallel_ranges(count, lines_per_task(1), [body](Size begin, Size end) {
            const Body mine = body;  // a copy that no store through a pointer can change
            for (Size i = begin; i < end; ++i) {
                mine(i);
            }
        });
    }

    /// Overwrites every element.
    template <class T>
    void fill(std::span<T> to, const std::type_identity_t<T>& value) const {
        for (T& element : to) {
            element = value;
        }
    }

    /// Copies as many elements as `to` has, and `from` no fewer; the arrays may overlap.
    template <class T>
    void copy(std::span<const std::type_identity_t<T>> from, std::span<T> to) const {
        if (!from.empty() && !to.empty() && from.data() != to.data()) {
            std::memmove(to.data(), from.data(), to.size_bytes());
        }
    }
    template <class T>
    void copy_from_host(std::span<const std::type_identity_t<T>> from, std::span<T> to) const {
        copy<T>(from, to);
    }
    template <class T>
    void copy_to_host(std::span<const std::type_identity_t<T>> from, std::span<T> to) const {
        copy<T>(from, to);
    }

    /// Uninitialised memory that the caller owns.
    template <class T>
    Buffer<T> allocate(Size count) const {
        return Buffer<T>(count, allocator_);
    }

    /// Uninitialised scratch space of at least `count` elements, valid until the context dies.
    ///
    /// Calls that name the same slot share memory, so an operation gives each of its arrays its own
    /// slot. A request that fits an existing block allocates nothing; a larger one adds a block of
    /// twice the last size or more and leaves the old one in place, so addresses that somebody
    /// recorded stay valid and the total of a slot stays below four times its largest request.
    /// @throws ArgumentError for a negative count or one whose bytes pass 2^63
    template <class T>
    std::span<T> scratch(int slot, Size count) {
        return blocks_.template take<T>("HostContext::scratch", slot, count,
                                        [this](Size bytes) { return Buffer<unsigned char>(bytes, allocator_); });
    }

    /// Bytes of scratch space held now.
    Size scratch_bytes() const noexcept { return blocks_.bytes(); }

private:
    static constexpr int most_threads = 4096;

    Executor& executor() const noexcept { return borrowed_ != nullptr ? *borrowed_ : *pool_; }

    Allocator* allocator_;
    Executor* borrowed_;
    std::unique_ptr<ThreadPool> pool_;
    detail::ScratchBlocks<HostSpace> blocks_;
};

}  // namespace snack::inline v0
