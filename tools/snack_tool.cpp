// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Looks into files of weights, converts them from one kind to another, and prunes dense ones into sparse layers.
// `snack_tool --help` has the rest.

#include <exception>
#include <new>

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
    constexpr const char* program = "snack_tool";
    try {
        if (const auto options = tool::parse_options(argc, argv)) {
            run(*options);
        }
        return 0;
    } catch (const tool::UsageError& error) {
        return examples::fail(program, error.what(), 2);
    } catch (const std::bad_alloc&) {
        return examples::fail(program, "out of memory", 1);
    } catch (const std::exception& error) {
        return examples::fail(program, error.what(), 1);
    }
}
