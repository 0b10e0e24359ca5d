// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first lesson: a sparse layer, two samples through it, and what it costs to store.

#include <cstdio>
#include <vector>

#include <snack/snack.hpp>

int main() {
    snack::HostContext ctx;  // threads and memory; every call gets it

    // 784 inputs, 10 outputs; one cell in ten has a connection.
    const snack::LayerOptions options{.in_features = 784, .out_features = 10, .sparsity = 0.9, .seed = 42};
    const snack::SparseLinear<snack::Host, float> layer(ctx, options);

    const snack::Size batch = 2;
    std::vector<float> x(static_cast<std::size_t>(batch * layer.in_features()), 1.0f);
    std::vector<float> y(static_cast<std::size_t>(batch * layer.out_features()));

    layer.forward(ctx, {x.data(), batch, layer.in_features()}, {y.data(), batch, layer.out_features()});

    std::printf("%lld of %lld connections, %lld bytes in all\n", static_cast<long long>(layer.nnz()),
                static_cast<long long>(layer.topology()->cells()), static_cast<long long>(layer.memory().total()));
    for (snack::Size output = 0; output < layer.out_features(); ++output) {
        std::printf("y[0][%lld] = %g\n", static_cast<long long>(output), y[static_cast<std::size_t>(output)]);
    }
}
