// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the CPU backends beside other libraries; see bench/README.md.
//
//   snack_bench [--quick] [--list] [--csv=FILE] [--machine=FILE] [--benchmark_filter=REGEX]
//
// Ends with status 1 if a row computed something wrong, and with 2 for a bad command line.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <bench/machine.hpp>
#include <bench/results.hpp>
#include <bench/tables.hpp>

namespace {

struct Options {
    bool quick = false;
    bool list = false;
    std::string csv;
    std::string machine;
};

/// Takes our options and leaves Google Benchmark's.
Options take_options(std::vector<char*>& arguments) {
    Options options;
    std::erase_if(arguments, [&](const std::string_view argument) {
        const auto value_of = [&](std::string_view option, std::string& value) {
            if (argument.substr(0, option.size()) != option) {
                return false;
            }
            value = argument.substr(option.size());
            return true;
        };
        if (argument == "--quick" || argument == "--list") {
            (argument == "--quick" ? options.quick : options.list) = true;
            return true;
        }
        return value_of("--csv=", options.csv) || value_of("--machine=", options.machine);
    });
    return options;
}

int run(std::vector<char*> arguments) {
    const Options options = take_options(arguments);
    static char interleave[] = "--benchmark_enable_random_interleaving=true";
    arguments.insert(arguments.begin() + 1, interleave);
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
        return 2;
    }
    const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    bench::Measurements measurements(options.quick ? 1e-6 : 0.02, options.quick ? 1 : 3,
                                     benchmark::GetBenchmarkFilter(), options.list);
    // Another user of the machine slows it for minutes on end: the repetitions of a row are minutes apart.
    const int passes = options.quick || options.list ? 1 : 3;
    for (int pass = 0; pass < passes; ++pass) {
        bench::run_plan(measurements, options.quick ? bench::quick_plan(processors) : bench::default_plan(processors));
    }
    if (!options.csv.empty()) {
        bench::write_csv(options.csv, measurements);
    }
    if (!options.machine.empty()) {
        bench::write_machine(options.machine);
    }
    if (!options.list) {
        std::printf("%zu rows, %d wrong\n", measurements.rows().size(), measurements.faults());
    }
    return measurements.faults() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "snack_bench: %s\n", error.what());
        return 1;
    }
}
