// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How long calls take on the device: they are captured in a CUDA graph, the graph is replayed between two
// events, and the median of nine replays counts. A graph leaves out what the host does for a launch, which
// trainers that care capture too.
//
// Not Google Benchmark, as on the CPU: nothing here is timed by the host, the number of calls follows from
// the graph, and the program has to run on machines where that library is not installed.

#include <algorithm>
#include <vector>

#include <snack/memory/cuda_context.cuh>

namespace bench::gpu {

/// Calls that a graph holds.
class CallGraph {
public:
    /// @param call  call(i) puts call number i on the stream of the context
    /// @throws what a call throws; the stream records no more then
    template <class Call>
    CallGraph(const snack::CudaContext& ctx, int calls, const Call& call) : stream_(ctx.stream()) {
        constexpr const char* where = "CallGraph";
        SNACK_CUDA(where, cudaStreamBeginCapture, stream_, cudaStreamCaptureModeThreadLocal);
        try {
            for (int i = 0; i < calls; ++i) {
                call(i);
            }
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph_);
            release();
            throw;
        }
        SNACK_CUDA(where, cudaStreamEndCapture, stream_, &graph_);
        SNACK_CUDA(where, cudaGraphInstantiate, &executable_, graph_, 0);
        SNACK_CUDA(where, cudaGraphUpload, executable_, stream_);
    }
    CallGraph(const CallGraph&) = delete;
    CallGraph& operator=(const CallGraph&) = delete;
    ~CallGraph() { release(); }

    void replay() const { SNACK_CUDA("CallGraph", cudaGraphLaunch, executable_, stream_); }

private:
    void release() {
        if (executable_ != nullptr) {
            cudaGraphExecDestroy(executable_);
        }
        if (graph_ != nullptr) {
            cudaGraphDestroy(graph_);
        }
    }

    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
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
