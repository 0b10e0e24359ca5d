// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewiring: the weakest connections go, as many new ones come, and everything kept per connection
// follows: the optimiser's momentum, and an array of our own that counts each connection's steps.

#include <cstdio>
#include <span>
#include <vector>

#include <snack/snack.hpp>

int main() {
    snack::HostContext ctx;
    const snack::LayerOptions options{.in_features = 6, .out_features = 4, .nnz = 8, .seed = 7};
    snack::SparseLinear<snack::Host, float> layer(ctx, options);
    snack::Sgd optimiser(ctx, layer, snack::SgdOptions{.learning_rate = 0.1, .momentum = 0.9});
    std::vector<int> age(static_cast<std::size_t>(layer.nnz()), 0);

    // Two steps on one sample whose gradient is made up.
    const std::vector<float> x{1, 2, 3, 4, 5, 6};
    const std::vector<float> dy{1, -1, 0.5f, 0};
    for (int step = 0; step < 2; ++step) {
        layer.backward(ctx, {x.data(), 1, 6}, {dy.data(), 1, 4});
        optimiser.step(ctx, layer);
        for (int& steps : age) {
            ++steps;
        }
    }

    // A quarter of the connections moves. The optimiser and our array follow the report.
    const snack::RewireReport report =
        layer.rewire(ctx, snack::MagnitudePruner{.fraction = 0.25}, snack::UniformGrower{});
    optimiser.remap(ctx, report);
    report.apply_map(std::span(age), 0);

    std::printf("%lld connections dropped, %lld grown\n\n", static_cast<long long>(report.dropped()),
                static_cast<long long>(report.grown()));
    std::printf("before            after\n");
    snack::for_each_entry(*report.before(), [&](snack::Size entry, snack::Index row, snack::Index column) {
        const snack::Size to = report.old_to_new()[static_cast<std::size_t>(entry)];
        std::printf("%lld at (%d, %d)  ->  %s\n", static_cast<long long>(entry), row, column,
                    to < 0 ? "dropped" : std::to_string(to).c_str());
    });
    std::printf("\nafter             before    weight    momentum  age\n");
    snack::for_each_entry(*report.after(), [&](snack::Size entry, snack::Index row, snack::Index column) {
        const auto at = static_cast<std::size_t>(entry);
        const snack::Size from = report.new_to_old()[at];
        std::printf("%lld at (%d, %d)  <-  %-8s  %8.4f  %8.4f  %3d\n", static_cast<long long>(entry), row, column,
                    from < 0 ? "grown" : std::to_string(from).c_str(), layer.values()[at], optimiser.velocity()[at],
                    age[at]);
    });
}
