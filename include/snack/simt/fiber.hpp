// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A flow of control with a stack of its own, for one thread of a kernel at a time.
// ucontext makes the stack; the switches are the compilers' __builtin_setjmp and __builtin_longjmp,
// which save no signal mask and so make no system call: a few nanoseconds each. (setjmp itself will
// not do: fortified it refuses another stack, and under AddressSanitizer it forgets the frames of
// the stack it leaves.) clang 14 has these built-ins on x86-64 only, gcc wherever it goes.

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstddef>

#include <snack/core/error.hpp>
#include <snack/simt/sanitizer.hpp>
#include <snack/simt/simt_error.hpp>

namespace snack::inline v0::simt {

/// Memory for a stack with a page below it that must not be touched: an overflow stops the process.
class FiberStack {
public:
    /// @throws SimtError if the system gives no memory or no guard page
    FiberStack() : guard_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
        memory_ = ::mmap(nullptr, guard_ + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require<SimtError>(memory_ != MAP_FAILED, "FiberStack", "the system gives no memory for ", bytes, " bytes");
        if (::mprotect(memory_, guard_, PROT_NONE) != 0) {
            ::munmap(memory_, guard_ + bytes);
            snack::detail::fail<SimtError>("FiberStack",
                                           "the system gives no guard page; it may allow too few mappings");
        }
    }
    FiberStack(const FiberStack&) = delete;
    FiberStack& operator=(const FiberStack&) = delete;
    ~FiberStack() { ::munmap(memory_, guard_ + bytes); }

    StackBounds bounds() const { return {static_cast<char*>(memory_) + guard_, bytes}; }

private:
    /// Enough for a report of the address sanitizer; pages that are not touched cost nothing.
    static constexpr std::size_t bytes = 256 * 1024;

    std::size_t guard_;
    void* memory_;
};

/// Calls entry(argument) anew each time it is resumed after the last call has ended.
/// The functions in which stacks change are not instrumented: they return on another one than the
/// sanitizer thinks.
class Fiber {
public:
    using Entry = void (*)(void* argument);

    Fiber(Entry entry, void* argument) : entry_(entry), argument_(argument) {}
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Called on the launcher's stack; returns when the fiber suspends or its call has ended.
    [[gnu::noinline, gnu::no_sanitize_address]] void resume() {
        start_switch(launcher_frames_, stack_.bounds());
        if (__builtin_setjmp(launcher_) == 0) {
            if (started_) {
                leap(own_);
            }
            start();
        }
        StackBounds left;
        finish_switch(launcher_frames_, left);
    }

    /// Called on the fiber's stack; returns at the next resume().
    [[gnu::noinline, gnu::no_sanitize_address]] void suspend() {
        start_switch(own_frames_, launcher_stack_);
        if (__builtin_setjmp(own_) == 0) {
            leap(launcher_);
        }
        finish_switch(own_frames_, launcher_stack_);
        if (dropped_) {
            end_call();
        }
    }

    /// Called on the fiber's stack: ends the call at once and suspends. Its objects are not
    /// destroyed; those of a kernel owe no destructor.
    [[noreturn]] void end_call() {
        dropped_ = false;
        forget_frames();
        leap(base_);
    }

    /// Called on the launcher's stack: ends a suspended call.
    void drop() {
        dropped_ = true;
        resume();
    }

private:
    using JumpPoint = void* [5];

    /// In a function of its own: a jump may not stand where its target is.
    [[noreturn, gnu::noinline, gnu::no_sanitize_address]] static void leap(JumpPoint& to) { __builtin_longjmp(to, 1); }

    [[noreturn, gnu::noinline, gnu::no_sanitize_address]] void start() {
        started_ = true;
        ucontext_t context;
        ::getcontext(&context);
        context.uc_stack.ss_sp = const_cast<void*>(stack_.bounds().bottom);
        context.uc_stack.ss_size = stack_.bounds().bytes;
        context.uc_link = nullptr;
        const auto halves = std::bit_cast<std::array<unsigned, 2>>(this);
        ::makecontext(&context, reinterpret_cast<void (*)()>(&Fiber::main), 2, halves[0], halves[1]);
        ::setcontext(&context);
        __builtin_unreachable();
    }

    /// Bottom of the stack; makecontext passes ints, so the address of the fiber comes in two.
    [[gnu::no_sanitize_address]] static void main(unsigned first, unsigned second) noexcept {
        Fiber* const fiber = std::bit_cast<Fiber*>(std::array<unsigned, 2>{first, second});
        finish_switch(nullptr, fiber->launcher_stack_);
        fiber->repeat();
    }

    [[noreturn, gnu::noinline, gnu::no_sanitize_address]] void repeat() {
        if (__builtin_setjmp(base_) == 0) {
            entry_(argument_);
        }
        for (;;) {
            suspend();
            entry_(argument_);
        }
    }

    Entry entry_;
    void* argument_;
    FiberStack stack_;
    StackBounds launcher_stack_;
    void* launcher_frames_ = nullptr;
    void* own_frames_ = nullptr;
    bool started_ = false;
    bool dropped_ = false;
    JumpPoint launcher_;  ///< where resume() was called
    JumpPoint own_;       ///< where suspend() was called
    JumpPoint base_;      ///< below the call
};

}  // namespace snack::inline v0::simt
