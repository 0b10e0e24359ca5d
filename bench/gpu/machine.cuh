// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the numbers were measured on: GPU, clocks, driver, versions, command, date. No names of hosts and no
// paths, so the file can be published.

#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>

#include <cublas_v2.h>
#include <cusparse.h>

#include <bench/gpu/power.hpp>
#include <snack/memory/cuda_error.cuh>
#include <snack/version.hpp>

namespace bench::gpu {

inline std::string cuda_version(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The part of a version of cuBLAS or cuSPARSE that `get` knows by a property's name.
template <class Get>
std::string library_version(const Get& get) {
    std::string text;
    for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
        int value = 0;
        get(part, &value);
        text += (text.empty() ? "" : ".") + std::to_string(value);
    }
    return text;
}

/// The lines of a file that tell of commands.
inline std::string commands_in(const std::string& path) {
    std::ifstream file(path);
    std::string commands;
    for (std::string line; std::getline(file, line);) {
        commands += line.rfind("command: ", 0) == 0 ? line + "\n" : "";
    }
    return commands;
}

/// @param earlier  the lines of earlier commands whose rows the results keep
inline void write_machine(const std::string& path, int device, const Nvml& nvml, const std::string& earlier,
                          const std::string& command) {
    std::ofstream file(path);
    cudaDeviceProp properties{};
    int driver = 0;
    int runtime = 0;
    SNACK_CUDA("write_machine", cudaGetDeviceProperties, &properties, device);
    SNACK_CUDA("write_machine", cudaDriverGetVersion, &driver);
    SNACK_CUDA("write_machine", cudaRuntimeGetVersion, &runtime);
    file << "GPU: " << properties.name << ", compute capability " << properties.major << "." << properties.minor << ", "
         << properties.multiProcessorCount << " multiprocessors, " << properties.l2CacheSize / (1 << 20)
         << " MiB of second-level cache, " << (properties.totalGlobalMem >> 20) << " MiB of memory\n";
    file << "clocks: " << nvml.clocks() << "\n";
    file << "driver: " << nvml.driver() << ", for CUDA " << cuda_version(driver) << "\n";
    file << "CUDA: runtime " << cuda_version(runtime) << ", compiled with " << __CUDACC_VER_MAJOR__ << "."
         << __CUDACC_VER_MINOR__ << "\n";
    file << "cuBLAS: " << library_version(cublasGetProperty) << "\n";
    file << "cuSPARSE: " << library_version(cusparseGetProperty) << "\n";
    file << "snack: " << SNACK_VERSION_STRING << "\n";
    file << earlier << "command: " << command << "\n";
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    file << "date: " << date << "\n";
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace bench::gpu
