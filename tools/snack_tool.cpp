// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Looks into files of weights, converts them from one kind to another, and prunes dense ones into sparse layers.
// `snack_tool --help` has the rest.

#include <examples/support/command_line.hpp>
#include <tools/snack_tool/convert.hpp>
#include <tools/snack_tool/inspect.hpp>
#include <tools/snack_tool/options.hpp>
#include <tools/snack_tool/prune.hpp>

namespace {

void run(const tool::Options& options) {
    if (options.command == "inspect") {
        tool::inspect(options);
    } else if (options.command == "convert") {
        tool::convert(options);
    } else {
        tool::prune(options);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return examples::run_program<tool::UsageError>("snack_tool", [&] {
        if (const auto options = tool::parse_options(argc, argv)) {
            run(*options);
        }
    });
}
