// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The matrices of the tables as files that numpy reads, so that frameworks.py measures on the same ones:
// OUTxIN_SPARSITY.rows.npy, .columns.npy and .values.npy.

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <bench/gpu/problem.cuh>

namespace bench::gpu {

/// One dimension, little-endian; `type` as numpy writes it. The header is padded to a multiple of 64 bytes.
template <class T>
void write_npy(const std::string& path, const std::vector<T>& elements, const std::string& type) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(elements.size()) + ",), }";
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    const auto length = static_cast<unsigned>(header.size());
    const char begin[] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(length % 256), static_cast<char>(length / 256)};
    std::ofstream file(path, std::ios::binary);
    file.write(begin, sizeof begin);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char*>(elements.data()),
               static_cast<std::streamsize>(elements.size() * sizeof(T)));
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

inline void dump_matrix(CudaContext& ctx, const std::string& folder, Size out_features, Size in_features,
                        double sparsity) {
    const Problem problem(ctx, out_features, in_features, sparsity);
    char name[96];
    std::snprintf(name, sizeof name, "/%lldx%lld_%.3f", static_cast<long long>(out_features),
                  static_cast<long long>(in_features), sparsity);
    const auto write = [&]<class T>(DeviceSpan<const T> array, const char* what, const char* type) {
        std::vector<T> elements(array.size());
        ctx.copy_to_host(array, std::span<T>(elements));
        write_npy(folder + name + what, elements, type);
    };
    write(problem.rows.span(), ".rows.npy", "<i4");
    write(problem.topology->columns(), ".columns.npy", "<i4");
    write(problem.values.span(), ".values.npy", "<f4");
}

/// The squares of the paper's tables 2, 11 and 12, at 95 %.
inline void dump_matrices(CudaContext& ctx, const std::string& folder) {
    std::filesystem::create_directories(folder);
    for (const Size features : {500, 1000, 5000, 7500, 8500, 10000}) {
        dump_matrix(ctx, folder, features, features, 0.95);
    }
}

}  // namespace bench::gpu
