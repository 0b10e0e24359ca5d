// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewiring: the weakest connections go, as many new ones come, and whatever is kept per connection
// follows: the optimiser's momentum, and an array of our own with each connection's age.

#include <iomanip>
#include <iostream>
#include <span>
#include <vector>

#include <snack/snack.hpp>

namespace {

std::ostream& print_cell(snack::Size entry, snack::Index row, snack::Index column) {
    return std::cout << "  " << entry << " at (" << row << ", " << column << ")";
}

}  // namespace

int main() {
    snack::HostContext ctx;
    const snack::LayerOptions options{.in_features = 6, .out_features = 4, .nnz = 8, .seed = 7};
    snack::SparseLinear<snack::Host, float> layer(ctx, options);
    snack::Sgd optimizer(ctx, layer, snack::SgdOptions{.learning_rate = 0.1, .momentum = 0.9});
    std::vector<int> age(static_cast<std::size_t>(layer.nnz()), 0);

    // Two steps on one sample, with a made-up gradient of the outputs.
    const std::vector<float> x{1, 2, 3, 4, 5, 6};
    const std::vector<float> dy{1, -1, 0.5f, 0.25f};
    for (int step = 0; step < 2; ++step) {
        layer.backward(ctx, {x.data(), 1, 6}, {dy.data(), 1, 4});
        optimizer.step(ctx, layer);
        for (int& steps : age) {
            ++steps;
        }
    }

    // A quarter of the connections moves. The optimiser and our own array follow the report.
    const auto report = layer.rewire(ctx, snack::MagnitudePruner{.fraction = 0.25}, snack::UniformGrower{});
    optimizer.remap(ctx, report);
    report.apply_map(std::span(age), 0);

    std::cout << report.dropped() << " connections dropped, " << report.grown()
              << " grown\nbefore, and where each went\n";
    snack::for_each_entry(*report.before(), [&](snack::Size entry, snack::Index row, snack::Index column) {
        const snack::Size to = report.old_to_new()[static_cast<std::size_t>(entry)];
        print_cell(entry, row, column) << " -> " << (to < 0 ? "dropped" : std::to_string(to)) << '\n';
    });
    std::cout << "after, and where each came from\n" << std::fixed << std::setprecision(3);
    snack::for_each_entry(*report.after(), [&](snack::Size entry, snack::Index row, snack::Index column) {
        const auto at = static_cast<std::size_t>(entry);
        const snack::Size from = report.new_to_old()[at];
        print_cell(entry, row, column) << " <- " << (from < 0 ? "grown" : std::to_string(from)) << ", weight "
                                       << layer.values()[at] << ", momentum " << optimizer.velocity()[at] << ", age "
                                       << age[at] << '\n';
    });
}
