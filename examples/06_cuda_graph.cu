// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A training step as a CUDA graph: recorded once and replayed, it costs the host one launch instead of one
// for each kernel. After the first call forward and backward allocate nothing and all addresses stay, so a
// graph is valid until the next rewire. Beside it, the same steps without a graph: equal bits.
//
// The arguments of kernels are recorded too. Sgd's stay the same; Adam's change with the number of the step,
// so its step is left out of a graph.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <snack/snack.cuh>

namespace {

constexpr snack::Size features = 1000;
constexpr snack::Size batch = 32;
constexpr int steps = 200;

/// Work of a stream, recorded while `body` runs. If that throws, the stream records no more.
class Graph {
public:
    template <class Body>
    Graph(snack::CudaContext& ctx, const Body& body) : Graph() {
        // The object is complete: the destructor runs whatever throws from here on.
        SNACK_CUDA("Graph", cudaStreamBeginCapture, ctx.stream(), cudaStreamCaptureModeThreadLocal);
        try {
            body();
        } catch (...) {
            cudaStreamEndCapture(ctx.stream(), &graph_);
            throw;
        }
        SNACK_CUDA("Graph", cudaStreamEndCapture, ctx.stream(), &graph_);
        SNACK_CUDA("Graph", cudaGraphInstantiate, &executable_, graph_, 0);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() {
        if (executable_ != nullptr) {
            cudaGraphExecDestroy(executable_);
        }
        if (graph_ != nullptr) {
            cudaGraphDestroy(graph_);
        }
    }

    void replay(snack::CudaContext& ctx) const { SNACK_CUDA("Graph", cudaGraphLaunch, executable_, ctx.stream()); }

private:
    Graph() = default;

    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

/// A layer that learns to give 0 for a batch of ones.
class Training {
public:
    explicit Training(snack::CudaContext& ctx)
        : ctx_(ctx),
          layer_(ctx, {.in_features = features, .out_features = features, .sparsity = 0.95, .seed = 1}),
          sgd_(ctx, layer_, {.learning_rate = 1e-4, .momentum = 0.9}),
          memory_(ctx.allocate<float>(3 * batch * features)) {
        ctx.fill(memory_.span(), 1.0f);
        step();  // the first call of a batch size takes scratch space, which a graph cannot
    }

    void step() {
        const snack::MatrixView<float, snack::CudaSpace> x(memory_.data(), batch, features);
        const snack::MatrixView<float, snack::CudaSpace> y(memory_.data() + batch * features, batch, features);
        const snack::MatrixView<float, snack::CudaSpace> dx(memory_.data() + 2 * batch * features, batch, features);
        layer_.forward(ctx_, x, y);
        layer_.backward(ctx_, x, y, dx);  // y is the gradient of half its own square
        sgd_.step(ctx_, layer_);
    }

    /// Weights, on the host.
    std::vector<float> values() {
        std::vector<float> copy(static_cast<std::size_t>(layer_.nnz()));
        ctx_.copy_to_host(std::as_const(layer_).values(), std::span(copy));
        return copy;
    }

private:
    snack::CudaContext& ctx_;
    snack::SparseLinear<snack::CooSegmented, float> layer_;
    snack::Sgd<float, snack::CudaSpace> sgd_;
    snack::DeviceBuffer<float> memory_;
};

/// Microseconds of one of `steps` calls, the work on the GPU included.
template <class Body>
double time_steps(snack::CudaContext& ctx, const Body& body) {
    ctx.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
        body();
    }
    ctx.synchronize();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / steps;
}

/// Whether both ways gave the same bits.
bool compare() {
    snack::CudaContext ctx;
    Training by_launches(ctx);
    Training by_graph(ctx);
    const Graph graph(ctx, [&] { by_graph.step(); });

    const double launches = time_steps(ctx, [&] { by_launches.step(); });
    const double replays = time_steps(ctx, [&] { graph.replay(ctx); });

    const std::vector<float> a = by_launches.values();
    const std::vector<float> b = by_graph.values();
    const bool same = std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    std::printf("%d steps, kernel by kernel  %6.1f us a step, first weight %.8f\n", steps, launches, a[0]);
    std::printf("%d steps, as a graph        %6.1f us a step, first weight %.8f\n", steps, replays, b[0]);
    std::printf("weights %s\n", same ? "agree to the last bit" : "DIFFER");
    return same;
}

}  // namespace

int main() {
    try {
        return compare() ? 0 : 1;
    } catch (const snack::Error& error) {
        std::fprintf(stderr, "06_cuda_graph: %s\n", error.what());
        return 1;
    }
}
