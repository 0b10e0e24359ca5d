// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first lesson: a sparse layer, two samples through it, and what it costs to store.

#include <iostream>
#include <vector>

#include <snack/snack.hpp>

int main() {
    snack::HostContext ctx;  // threads and scratch memory; every call takes it

    // 784 inputs, 10 outputs, and one possible connection in ten exists.
    const snack::LayerOptions options{.in_features = 784, .out_features = 10, .sparsity = 0.9, .seed = 42};
    const snack::SparseLinear<snack::Host, float> layer(ctx, options);

    const snack::Size batch = 2;
    const std::vector<float> x(2 * 784, 1.0f);
    std::vector<float> y(2 * 10);
    layer.forward(ctx, {x.data(), batch, layer.in_features()}, {y.data(), batch, layer.out_features()});

    std::cout << layer.nnz() << " of " << layer.topology()->cells() << " connections, " << layer.memory().total()
              << " bytes with everything a layer needs to train\n";
    std::cout << "outputs of the first sample:";
    for (snack::Size output = 0; output < layer.out_features(); ++output) {
        std::cout << ' ' << y[static_cast<std::size_t>(output)];
    }
    std::cout << '\n';
}
