// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the GPU backends beside cuBLAS, cuSPARSE and the paper's kernels; see bench/GPU.md.
//
//   snack_bench_gpu [--csv=FOLDER] [--only=REGEX] [--append] [--quick]
//   snack_bench_gpu --dump=FOLDER      writes the matrices that frameworks.py takes, and ends
//
// Ends with status 1 if a row computed something wrong, with 2 for a bad command line, and with 77 without
// a GPU.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <bench/gpu/dump.cuh>
#include <bench/gpu/layer_profile.cuh>
#include <bench/gpu/machine.cuh>
#include <bench/gpu/memory_sweep.cuh>
#include <bench/gpu/reference.cuh>
#include <bench/gpu/tables.cuh>
#include <bench/gpu/updates.cuh>

namespace {

struct Options {
    std::string csv;
    std::string only;
    std::string dump;
    bool append = false;
    bool quick = false;
    std::string command = "snack_bench_gpu";  ///< without paths
};

/// Whether all arguments are ours.
bool take_options(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const auto value_of = [&](std::string_view option, std::string& value) {
            if (argument.substr(0, option.size()) != option) {
                return false;
            }
            value = argument.substr(option.size());
            return true;
        };
        if (value_of("--csv=", options.csv) || value_of("--dump=", options.dump)) {
            continue;
        }
        options.command += " " + std::string(argument);
        if (argument == "--append") {
            options.append = true;
        } else if (argument == "--quick") {
            options.quick = true;
        } else if (!value_of("--only=", options.only)) {
            std::fprintf(stderr, "snack_bench_gpu: %s is no option\n", argv[i]);
            return false;
        }
    }
    return true;
}

int run(const Options& options) {
    using namespace bench::gpu;
    if (!options.csv.empty()) {
        std::filesystem::create_directories(options.csv);
    }
    snack::CudaContext ctx;
    keep_freed_memory(ctx);
    if (!options.dump.empty()) {
        dump_matrices(ctx, options.dump);
        return 0;
    }
    char bus_id[32] = "";
    SNACK_CUDA("main", cudaDeviceGetPCIBusId, bus_id, static_cast<int>(sizeof bus_id), ctx.device());
    const Nvml nvml(bus_id);
    Results results(options.csv, options.only, options.append);
    const std::string machine = options.csv + "/machine.txt";
    const std::string earlier = options.append ? commands_in(machine) : "";
    const auto tell_machine = [&] {
        if (!options.csv.empty()) {
            write_machine(machine, ctx.device(), nvml, earlier, options.command);
        }
    };
    const Settings settings = options.quick ? quick_settings() : Settings{};

    tell_machine();  // a run that is cut short has it too
    if (!options.quick) {
        warm_up(ctx);
    }
    run_references(ctx, results, options.quick);
    for (const Case& at : options.quick ? quick_cases() : default_cases()) {
        CaseRunner runner(ctx, results, settings, at);
        runner.run<Backends>();
        runner.run<CuSparsePeers>();
        runner.run<DenseBackends>();
        runner.run<Peers>();
    }
    for_each_method<Backends>([&]<class M>() {
        using Backend = typename M::backend;
        if (options.quick) {
            run_updates<Backend>(ctx, results, 300, 0.90, 1);
        } else {
            run_updates<Backend>(ctx, results, 10000, 0.90, 5);
            run_updates<Backend>(ctx, results, 10000, 0.95, 5);
        }
    });
    const std::vector<double> sparsities =
        options.quick ? std::vector<double>{0.90} : std::vector<double>{0.90, 0.95, 0.99};
    LayerProfile profile(ctx, results, settings, nvml, options.quick ? 0.01 : 3);
    if (options.quick) {
        profile.run({.out_features = 300, .in_features = 200, .batch = 4}, sparsities);
    } else {
        profile.run({.out_features = 10000, .in_features = 10000, .batch = 4}, sparsities);
        profile.run({.out_features = 10000, .in_features = 12500, .batch = 1}, sparsities);
    }
    run_memory_sweep(ctx, results, options.quick ? quick_sweep() : paper_sweep());
    tell_machine();
    std::printf("%d rows, %d wrong\n", results.rows(), results.faults());
    return results.faults() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!take_options(argc, argv, options)) {
        return 2;
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no CUDA device");
        return 77;
    }
    try {
        return run(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "snack_bench_gpu: %s\n", error.what());
        return 1;
    }
}
