// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The command `convert`.

#include <cstdio>
#include <string>

#include <examples/support/format.hpp>
#include <examples/support/progress.hpp>
#include <snack/io/quote.hpp>
#include <tools/snack_tool/matrix.hpp>
#include <tools/snack_tool/shown_rows.hpp>

namespace tool {

namespace detail {

template <Scalar T>
void convert(const Input& input, const Options& options, examples::Progress& progress) {
    snack::HostContext ctx;
    announce(progress, "reading " + options.in);
    const Matrix<T> matrix = input.read<T>(ctx);
    announce(progress, "writing " + options.out);
    std::string what;
    if (const auto* sparse = std::get_if<CooMatrix<T>>(&matrix.weight)) {
        write<T>(ctx, options.out, matrix.name, *sparse, matrix.bias.span(), matrix.key);
        what = std::to_string(sparse->out_features()) + " x " + std::to_string(sparse->in_features()) + ", " +
               examples::format_count(sparse->nnz()) + " connections";
    } else {
        const auto& dense = std::get<io::DenseMatrix<T>>(matrix.weight);
        write<T>(ctx, options.out, matrix.name, dense);
        what = std::to_string(dense.rows) + " x " + std::to_string(dense.columns) + ", dense";
    }
    progress.clear();
    std::printf("%s: %s\n", shown(matrix.name).c_str(), what.c_str());
}

}  // namespace detail

/// Reads the one matrix of a file and writes it as another kind of file.
/// @throws snack::Error if a file cannot be read or written, is damaged or has not one matrix
inline void convert(const Options& options) {
    const Input input(options);
    examples::Progress progress(stderr);
    with_scalar(options, input.needs_double(), [&]<class T>(T) { detail::convert<T>(input, options, progress); });
}

}  // namespace tool
