// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A backend of one's own: custom_backend/csr_loops.hpp has all of it, and this program runs it beside
// snack::Host on the same layer. All numbers are whole, so sums in any order are exact and the
// two must agree to the last bit.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <examples/custom_backend/csr_loops.hpp>
#include <examples/support/latency.hpp>
#include <snack/snack.hpp>

namespace {

constexpr snack::Size in_features = 784;
constexpr snack::Size out_features = 1000;
constexpr snack::Size batch = 64;
constexpr int runs = 50;

/// 0, 1, ... modulus - 1, 0, 1, ... less `shift`.
std::vector<float> whole_numbers(snack::Size count, int modulus, int shift) {
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<float>(static_cast<int>(i % static_cast<std::size_t>(modulus)) - shift);
    }
    return numbers;
}

/// What a forward and a backward pass write.
struct Outcome {
    std::vector<float> y, dx, gradients, bias_gradients;

    bool operator==(const Outcome&) const = default;
};

/// Runs the layer with Backend and prints a line with the times.
template <class Backend>
Outcome run(snack::HostContext& ctx) {
    const std::vector<float> x = whole_numbers(batch * in_features, 11, 0);
    const std::vector<float> dy = whole_numbers(batch * out_features, 5, 2);
    std::vector<float> y(static_cast<std::size_t>(batch * out_features));
    std::vector<float> dx(static_cast<std::size_t>(batch * in_features));
    snack::SparseLinear<Backend, float> layer(
        ctx, {.in_features = in_features, .out_features = out_features, .sparsity = 0.95, .seed = 1});
    const std::vector<float> weights = whole_numbers(layer.nnz(), 7, 3);
    std::copy(weights.begin(), weights.end(), layer.values().begin());
    layer.values_changed(ctx);

    const auto nothing = [] {};
    const examples::Latency forward = examples::measure_latency(runs, nothing, [&] {
        layer.forward(ctx, {x.data(), batch, in_features}, {y.data(), batch, out_features});
    });
    const examples::Latency backward = examples::measure_latency(runs, nothing, [&] {
        layer.backward(ctx, {x.data(), batch, in_features}, {dy.data(), batch, out_features},
                       {dx.data(), batch, in_features});
    });
    std::printf("%-10s %12.0f %12.0f\n", Backend::name, forward.median * 1e6, backward.median * 1e6);
    return {y,
            dx,
            {layer.gradients().begin(), layer.gradients().end()},
            {layer.bias_gradients().begin(), layer.bias_gradients().end()}};
}

}  // namespace

int main() {
    snack::HostContext ctx;
    std::printf("784 inputs, 1000 outputs, sparsity 0.95, batch 64, %d threads; median of %d calls, in us\n",
                ctx.threads(), runs);
    std::printf("%-10s %12s %12s\n", "backend", "forward", "backward");
    const Outcome host = run<snack::Host>(ctx);
    const Outcome loops = run<csr_loops::Backend>(ctx);
    const bool agree = host == loops;
    std::printf("outputs and gradients %s\n", agree ? "agree to the last bit" : "DIFFER");
    return agree ? 0 : 1;
}
