// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One alias decides where the program computes: on a GPU if nvcc compiles it, else on the host. All that
// follows is written once. Operands live where the context computes and come and go by its copies.
//
//   g++ -std=c++20 -O3 -march=native -I include examples/05_backend_alias.cpp -pthread
//   nvcc -x cu -std=c++20 -O3 -arch=native -I include examples/05_backend_alias.cpp

#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#if defined(__CUDACC__)
#include <snack/snack.cuh>
using Backend = snack::CooSegmented;
#else
#include <snack/snack.hpp>
using Backend = snack::Host;
#endif

using Layer = snack::SparseLinear<Backend, float>;
using Context = Layer::context_type;

namespace {

void train() {
    const snack::Size batch = 32;
    Context ctx;
    Layer layer(ctx, {.in_features = 784, .out_features = 10, .sparsity = 0.9, .seed = 42});
    snack::Sgd sgd(ctx, layer, {.learning_rate = 1e-4});
    auto x = ctx.allocate<float>(batch * layer.in_features());
    auto y = ctx.allocate<float>(batch * layer.out_features());
    ctx.fill(x.span(), 1.0f);

    // Towards y = 0: y is the gradient of half its own square.
    std::vector<float> outputs(static_cast<std::size_t>(y.size()));
    for (int step = 0; step <= 20; ++step) {
        layer.forward(ctx, {x.data(), batch, layer.in_features()}, {y.data(), batch, layer.out_features()});
        layer.backward(ctx, {x.data(), batch, layer.in_features()}, {y.data(), batch, layer.out_features()});
        sgd.step(ctx, layer);
        if (step % 10 == 0) {
            ctx.copy_to_host(std::as_const(y).span(), std::span(outputs));  // waits for the work so far
            float squares = 0;
            for (const float output : outputs) {
                squares += output * output;
            }
            std::printf("%s, step %2d: %.4f\n", Backend::name, step, squares / static_cast<float>(batch));
        }
    }
}

}  // namespace

int main() {
    try {
        train();
        return 0;
    } catch (const snack::Error& error) {
        std::fprintf(stderr, "05_backend_alias: %s\n", error.what());
        return 1;
    }
}
