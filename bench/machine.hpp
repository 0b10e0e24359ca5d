// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the numbers were measured on: processor, compiler, versions, date. No names of hosts and
// no paths, so the file can be published.

#include <benchmark/benchmark.h>

#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>

#include <bench/rows.hpp>
#include <snack/version.hpp>

namespace bench {

/// The model as the system names it.
inline std::string processor_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t at = line.find(": ");
        if (line.rfind("model name", 0) == 0 && at != std::string::npos) {
            return line.substr(at + 2);
        }
    }
    return "unknown";
}

inline void write_machine(const std::string& path) {
    std::ofstream file(path);
    const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
    file << "processor: " << processor_model() << ", " << cpu.num_cpus << " cores in use\n";
    for (const auto& cache : cpu.caches) {
        file << "cache: level " << cache.level << " " << cache.type << ", " << cache.size / 1024 << " KiB, shared by "
             << cache.num_sharing << "\n";
    }
    file << "clock: " << cpu.cycles_per_second / 1e9 << " GHz\n";
#if defined(__clang__)
    file << "compiler: clang " << __clang_major__ << "." << __clang_minor__ << "\n";
#else
    file << "compiler: g++ " << __GNUC__ << "." << __GNUC_MINOR__ << "." << __GNUC_PATCHLEVEL__ << "\n";
#endif
    file << "flags: " << SNACK_BENCH_FLAGS << "\n";
    file << "snack: " << SNACK_VERSION_STRING << "\n";
#if defined(SNACK_WITH_BLAS)
    file << "OpenBLAS: " << openblas_get_config() << "; core in use: " << openblas_get_corename() << "\n";
#endif
#if defined(SNACK_BENCH_EIGEN)
    file << "Eigen: " << EIGEN_WORLD_VERSION << "." << EIGEN_MAJOR_VERSION << "." << EIGEN_MINOR_VERSION << "; "
         << Eigen::SimdInstructionSetsInUse() << "\n";
#endif
#if defined(SNACK_BENCH_LIBRSB)
    file << "librsb: " << RSB_HEADER_VERSION_STRING << "\n";
#endif
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    file << "date: " << date << "\n";
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace bench
