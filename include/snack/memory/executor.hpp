// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The interface through which a caller lends its own threads to the library.
// Kernels cut their work into independent tasks; which thread runs which, and in what order,
// never changes a result.

#include <type_traits>

#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// A borrowed callable `void(Size task)` that does not throw; valid during one parallel_for.
class TaskRef {
public:
    template <class Body>
    requires(!std::is_same_v<std::remove_cv_t<Body>, TaskRef>) explicit TaskRef(Body& body)
        : body_(const_cast<void*>(static_cast<const void*>(&body))),
          call_([](void* state, Size task) { (*static_cast<Body*>(state))(task); }) {}

    void operator()(Size task) const { call_(body_, task); }

private:
    void* body_;
    void (*call_)(void*, Size);
};

/// A source of threads. Derive from it to run snack on the threads your program has already.
class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// How many tasks can run at once, at least 1.
    virtual int concurrency() const noexcept = 0;

    /// Runs task(0) ... task(tasks - 1), each once, on any threads, and returns when all are done;
    /// what they wrote is visible to the caller then.
    virtual void parallel_for(Size tasks, TaskRef task) = 0;
};

}  // namespace snack::inline v0
