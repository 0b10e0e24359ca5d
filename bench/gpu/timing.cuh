// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How long calls take on the device: they are captured in a CUDA graph, the graph is replayed between two
// events, and the median of nine replays counts. A graph leaves out what the host does for a launch, which
// trainers that care capture too.
//
// Not Google Benchmark, as on the CPU: nothing here is timed by the host, the number of calls follows from
// the graph, and the program has to run on machines where that library is not installed.

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include <snack/memory/cuda_context.cuh>

namespace bench::gpu {

/// Calls that a graph holds.
class CallGraph {
public:
    /// @param call  call(i) puts call number i on the stream of the context
    /// @throws what a call throws, CudaError; the stream records no more then
    template <class Call>
    CallGraph(const snack::CudaContext& ctx, int calls, const Call& call)
        : stream_(ctx.stream()), graph_(record(stream_, calls, call)), executable_(instantiate(graph_.get())) {
        SNACK_CUDA("CallGraph", cudaGraphUpload, executable_.get(), stream_);
    }

    void replay() const { SNACK_CUDA("CallGraph", cudaGraphLaunch, executable_.get(), stream_); }

private:
    struct Destroy {
        void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
        void operator()(cudaGraphExec_t executable) const { cudaGraphExecDestroy(executable); }
    };
    using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, Destroy>;
    using Executable = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy>;

    template <class Call>
    static Graph record(cudaStream_t stream, int calls, const Call& call) {
        cudaGraph_t graph = nullptr;
        SNACK_CUDA("CallGraph", cudaStreamBeginCapture, stream, cudaStreamCaptureModeThreadLocal);
        try {
            for (int i = 0; i < calls; ++i) {
                call(i);
            }
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            cudaGetLastError();  // of the recording that the call broke off; the exception tells why
            const Graph dropped(graph);
            throw;
        }
        SNACK_CUDA("CallGraph", cudaStreamEndCapture, stream, &graph);
        return Graph(graph);
    }

    static Executable instantiate(cudaGraph_t graph) {
        cudaGraphExec_t executable = nullptr;
        SNACK_CUDA("CallGraph", cudaGraphInstantiate, &executable, graph, 0);
        return Executable(executable);
    }

    cudaStream_t stream_;
    Graph graph_;
    Executable executable_;
};

/// A mark in the work of a stream.
class Event {
public:
    Event() { SNACK_CUDA("Event", cudaEventCreate, &event_); }
    Event(Event&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    Event& operator=(Event&&) = delete;
    ~Event() {
        if (event_ != nullptr) {
            cudaEventDestroy(event_);
        }
    }

    void record(const snack::CudaContext& ctx) { SNACK_CUDA("Event", cudaEventRecord, event_, ctx.stream()); }

    /// Microseconds from another mark to this one; waits for this one.
    double us_since(const Event& start) const {
        float milliseconds = 0;
        SNACK_CUDA("Event", cudaEventSynchronize, event_);
        SNACK_CUDA("Event", cudaEventElapsedTime, &milliseconds, start.event_, event_);
        return 1e3 * static_cast<double>(milliseconds);
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// Microseconds that the work which `enqueue` puts on the stream takes, once.
template <class Enqueue>
double once_us(const snack::CudaContext& ctx, const Enqueue& enqueue) {
    Event start;
    Event stop;
    start.record(ctx);
    enqueue();
    stop.record(ctx);
    return stop.us_since(start);
}

/// Microseconds of one call.
struct CallTime {
    double median_us = 0;
    double least_us = 0;
};

struct TimingOptions {
    int samples = 9;
    double least_sample_us = 300;  ///< shorter graphs are replayed several times between two events
};

/// The first replay is not timed. All are put on the stream at once, so that the device never waits for the
/// host; consecutive samples share the event between them.
inline CallTime time_replays(const snack::CudaContext& ctx, const CallGraph& graph, int calls,
                             const TimingOptions& options = {}) {
    graph.replay();
    const double about_us = once_us(ctx, [&] { graph.replay(); });
    const int replays = std::clamp(static_cast<int>(options.least_sample_us / std::max(about_us, 1.0)), 1, 64);
    std::vector<Event> events(static_cast<std::size_t>(options.samples) + 1);
    graph.replay();
    events[0].record(ctx);
    for (int sample = 1; sample <= options.samples; ++sample) {
        for (int i = 0; i < replays; ++i) {
            graph.replay();
        }
        events[static_cast<std::size_t>(sample)].record(ctx);
    }
    std::vector<double> us;
    for (std::size_t sample = 1; sample < events.size(); ++sample) {
        us.push_back(events[sample].us_since(events[sample - 1]) / (replays * calls));
    }
    std::sort(us.begin(), us.end());
    return {.median_us = us[us.size() / 2], .least_us = us.front()};
}

}  // namespace bench::gpu
