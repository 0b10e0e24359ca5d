// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Calls can be recorded in a graph after one warm-up. What cannot be recorded is refused in time: the
// recording goes on.

#include <tests/cuda/cases/one_cell.cuh>
#include <tests/support/throws.hpp>

namespace tests {

/// Records what `record` does, in the strictest mode. If that throws, the stream records no more.
class RecordedGraph {
public:
    template <class Record>
    RecordedGraph(snack::CudaContext& ctx, const Record& record) : RecordedGraph() {
        // The object is complete: the destructor runs whatever throws from here on.
        Staging::check(cudaStreamBeginCapture(ctx.stream(), cudaStreamCaptureModeGlobal));
        try {
            record();
        } catch (...) {
            cudaStreamEndCapture(ctx.stream(), &graph_);
            throw;
        }
        Staging::check(cudaStreamEndCapture(ctx.stream(), &graph_));
        Staging::check(cudaGraphInstantiate(&executable_, graph_, 0));
    }
    RecordedGraph(const RecordedGraph&) = delete;
    RecordedGraph& operator=(const RecordedGraph&) = delete;
    ~RecordedGraph() {
        if (executable_ != nullptr) {
            cudaGraphExecDestroy(executable_);
        }
        if (graph_ != nullptr) {
            cudaGraphDestroy(graph_);
        }
    }

    void replay(snack::CudaContext& ctx) { Staging::check(cudaGraphLaunch(executable_, ctx.stream())); }

private:
    RecordedGraph() = default;

    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

template <class B, class T>
void a_graph_follows_its_operands() {
    snack::CudaContext ctx;
    OneCell<B, T> at(ctx);
    const auto step = [&] {
        at.layer.forward(ctx, at.x(), at.y());
        at.layer.backward(ctx, at.x(), at.y(), at.dx());
    };
    step();
    ctx.synchronize();

    RecordedGraph graph(ctx, step);

    for (int replay = 0; replay < 2; ++replay) {
        ctx.fill(at.memory.span(), 5);
        ctx.fill(at.layer.gradients(), 0);
        graph.replay(ctx);
        CHECK(at.value(ctx, at.y()) == 10);
        CHECK(at.value(ctx, at.dx()) == 20);
        CHECK(on_host<T>(ctx, std::as_const(at.layer).gradients())[0] == 50);
    }
}

template <class B, class T>
void what_cannot_be_recorded_is_refused_and_the_recording_goes_on() {
    using snack::UnsupportedError;
    snack::CudaContext ctx;
    OneCell<B, T> at(ctx);
    T on_stack = 3;
    at.layer.forward(ctx, at.x(), at.y());
    ctx.synchronize();

    RecordedGraph graph(ctx, [&] {
        CHECK_THROWS_AS(at.layer.rewire(ctx, snack::MagnitudePruner{}, snack::UniformGrower{}), UnsupportedError);
        CHECK(text_of<UnsupportedError>([&] { ctx.synchronize(); }) ==
              "CudaContext::synchronize: the stream is recording a graph");
        CHECK_THROWS_AS(ctx.copy_from_host(std::span<const T>(&on_stack, 1), at.layer.values()), UnsupportedError);
        CHECK_THROWS_AS(ctx.copy_to_host(std::as_const(at.layer).values(), std::span<T>(&on_stack, 1)),
                        UnsupportedError);
        CHECK(text_of<UnsupportedError>([&] { at.layer.bind(ctx, {.values = at.span(at.dx())}); }) ==
              "SparseLinear::bind: the stream is recording a graph");
        CHECK_THROWS_AS(at.layer.forward(ctx, {&on_stack, 1, 1}, at.y()), snack::ArgumentError);
        at.layer.forward(ctx, at.x(), at.y());
    });

    CHECK(cudaGetLastError() == cudaSuccess);
    ctx.fill(at.memory.span(), 5);
    graph.replay(ctx);
    CHECK(at.value(ctx, at.y()) == 10);
    CHECK(on_stack == 3);
}

}  // namespace tests
