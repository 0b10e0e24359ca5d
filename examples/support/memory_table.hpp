// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a sparse network costs to hold while it trains, beside the dense network of the same shape:
// its weights as float, no indices, as many gradients, and the same optimiser.

#include <cstdio>

#include <examples/support/format.hpp>
#include <examples/support/table.hpp>
#include <snack/nn/layer_options.hpp>

namespace examples {

/// Memory held against that of a dense network of the same shape with the same optimiser.
template <class Network>
void print_memory(std::FILE* stream, const Network& network, Size optimizer_bytes) {
    Size cells = 0;
    Size connections = 0;
    Size biases = 0;
    snack::MemoryReport held;
    for (const typename Network::Layer& layer : network.layers()) {
        const snack::MemoryReport memory = layer.memory();
        cells += layer.topology()->cells();
        connections += layer.nnz();
        biases += layer.out_features();
        held.values += memory.values + memory.bias;
        held.gradients += memory.gradients + memory.bias_gradients;
        held.topology += memory.topology + memory.plan;
    }
    const Size dense = (cells + biases) * static_cast<Size>(sizeof(float));
    const Size dense_optimizer = optimizer_bytes / (connections + biases) * (cells + biases);
    Table table;
    const auto add_bytes = [&](const char* name, Size sparse, Size full) {
        table.add({name, format_bytes(sparse), format_bytes(full), format_share(sparse, full)});
    };
    table.add({"", "sparse", "dense", "share"});
    table.add({"connections", format_count(connections), format_count(cells), format_share(connections, cells)});
    add_bytes("weights and biases", held.values, dense);
    add_bytes("indices", held.topology, 0);
    add_bytes("gradients", held.gradients, dense);
    add_bytes("optimiser state", optimizer_bytes, dense_optimizer);
    add_bytes("in all", held.values + held.topology + held.gradients + optimizer_bytes, 2 * dense + dense_optimizer);
    table.print(stream);
}

}  // namespace examples
