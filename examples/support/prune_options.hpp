// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The command line of the pruning example.

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include <examples/support/command_line.hpp>
#include <snack/core/types.hpp>

namespace examples {

using snack::Size;

struct PruneOptions {
    std::string data;
    std::string backend = "Host";
    Size epochs = 5;
    int threads = hardware_threads();
};

/// The options, or nothing if help was asked for and has been printed.
/// @param backends  those that the program has, for --backend
/// @throws UsageError for an unknown option or a value out of range
inline std::optional<PruneOptions> parse_prune_options(int argc, const char* const* argv,
                                                       std::vector<std::string> backends) {
    PruneOptions options;
    backends.emplace_back("all");

    CLI::App app("Prunes a network that was trained on MNIST, and fine-tunes what is left.", "07_pruned_mnist");
    app.add_option(
           "--data", options.data,
           "Folder with mnist_fc_784x500x10.safetensors, t10k-images-idx3-ubyte and "
           "t10k-labels-idx1-ubyte, the latter gzipped or not, or with folders mnist-fc and mnist that have them")
        ->required()
        ->type_name("DIR");
    app.add_option("--backend", options.backend, "What computes")
        ->transform(CLI::IsMember(backends, CLI::ignore_case))
        ->capture_default_str();
    app.add_option("--epochs", options.epochs, "Passes over the images that fine-tune; 0: none")
        ->check(detail::whole_number<Size>(0, 1000000))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--threads", options.threads, "Threads of the processor to use; all of them by default")
        ->check(detail::whole_number<int>(1, 1024))
        ->capture_default_str()
        ->type_name("N");
    app.footer(
        "The network is that of the example `mnist` of github.com/ggml-org/ggml (MIT), 784-500-10, as safetensors "
        "with\n"
        "fc1.weight, fc1.bias, fc2.weight and fc2.bias in F32. The images are the 10,000 for tests of MNIST, as\n"
        "yann.lecun.com/exdb/mnist gave them out and many a mirror does.");
    if (!parse_command_line(app, argc, argv)) {
        return std::nullopt;
    }
    return options;
}

}  // namespace examples
