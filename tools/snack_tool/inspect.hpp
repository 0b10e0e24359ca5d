// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The command `inspect`.

#include <cstdio>
#include <string>
#include <vector>

#include <examples/support/format.hpp>
#include <examples/support/progress.hpp>
#include <examples/support/table.hpp>
#include <tools/snack_tool/matrix.hpp>
#include <tools/snack_tool/shown_rows.hpp>

namespace tool {

namespace detail {

using examples::format_count;
using examples::Table;

inline std::string format_shape(const std::vector<Size>& shape) {
    std::string text;
    for (const Size extent : shape) {
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
    }
    return text.empty() ? "one number" : text;
}

/// Cells that are not zero, NaN among them, of a matrix that is read a few rows at a time.
template <class Rows>
Size count_nonzero(const Rows& rows) {
    snack::Buffer<double> buffer = io::detail::buffer_for_rows<double>(rows.rows(), rows.columns(), 1 << 20, nullptr);
    Size count = 0;
    io::detail::for_each_block<double>(rows, buffer, [&](Size, Size, std::span<const double> cells) {
        for (const double cell : cells) {
            count += cell != 0 ? 1 : 0;
        }
    });
    return count;
}

/// "19,600 of 392,000, 95.0 % are zero"
inline std::string format_filling(Size filled, Size cells) {
    return format_count(filled) + " of " + format_count(cells) +
           (cells == 0 ? "" : ", " + examples::format_share(cells - filled, cells) + " zero");
}

inline std::string format_filling(const snack::Topology& topology) {
    return format_filling(topology.nnz(), topology.cells());
}

inline std::string optimizer_of(const io::Safetensors& file, const std::string& layer) {
    std::string names;
    for (const auto& [tensor, name] : {std::pair{"sgd.velocity", "sgd"}, std::pair{"adam.first_moment", "adam"}}) {
        if (file.find(io::LayerFile::prefixed(layer, tensor)) != nullptr) {
            names += (names.empty() ? "" : ", ") + std::string(name);
        }
    }
    return names.empty() ? "-" : names;
}

inline void inspect_layers(const io::LayerFile& file, examples::Progress& progress) {
    Table table;
    table.add({"layer", "shape", "connections", "bias", "rewires", "optimiser"});
    const Size most = io::Budget{}.features_in(file.tensors().source().size());
    Size rows = 0;
    for (const std::string& name : file.names()) {
        if (progress.due()) {
            progress.show(io::shorten(name));
        }
        const CooMatrix<double> matrix = file.matrix<double>(name);
        rows += matrix.out_features();  // many empty layers of many rows each would take hours
        snack::require<snack::FormatError>(rows <= most, file.tensors().name().c_str(), "the layers have more than ",
                                           most, " rows, the budget of a file of this size");
        const bool has_bias = file.bias<double>(name, matrix.out_features()).size() > 0;
        table.add({shown(name), format_shape({matrix.out_features(), matrix.in_features()}),
                   format_filling(*matrix.topology()), has_bias ? "yes" : "no",
                   std::to_string(file.random_key(name).rewire_count), optimizer_of(file.tensors(), name)});
    }
    progress.clear();
    if (!file.names().empty()) {
        table.print(stdout);
        std::putchar('\n');
    }
}

inline void inspect_safetensors(const std::string& path, examples::Progress& progress) {
    const io::LayerFile layers(path);
    const io::Safetensors& file = layers.tensors();
    std::printf("%s: safetensors, %s, %s tensors\n", path.c_str(), examples::format_bytes(file.source().size()).c_str(),
                format_count(static_cast<Size>(file.tensors().size())).c_str());
    for (const auto& [name, text] : file.metadata()) {
        std::printf("metadata  %s: %s\n", shown(name).c_str(), io::shorten(text).c_str());
    }
    std::putchar('\n');
    inspect_layers(layers, progress);
    Table table;
    table.add({"tensor", "dtype", "shape", "not zero"});
    for (const io::TensorInfo& tensor : file.tensors()) {
        std::string filling = "-";
        if (tensor.shape.size() == 2 && io::is_decoded(tensor.dtype)) {
            const ShownRows rows(io::TensorRows(file, tensor), io::shorten(tensor.name), progress);
            filling = format_filling(count_nonzero(rows), tensor.elements);
        }
        table.add({shown(tensor.name), io::name_of(tensor.dtype), format_shape(tensor.shape), filling});
    }
    progress.clear();
    if (!file.tensors().empty()) {
        table.print(stdout);
    }
}

inline void inspect_matrix_market(const std::string& path) {
    using Header = io::MatrixMarketHeader;
    constexpr const char* fields[] = {"real", "integer", "pattern"};
    constexpr const char* symmetries[] = {"general", "symmetric", "skew-symmetric"};
    snack::HostContext ctx;
    const io::FileSource source(path);
    const Header header = io::read_matrix_market_header(source);
    const bool sparse = header.format == Header::Format::coordinate;
    std::printf("%s: Matrix Market, %s %s %s, %s, %s lines of entries\n", path.c_str(), sparse ? "coordinate" : "array",
                fields[static_cast<int>(header.field)], symmetries[static_cast<int>(header.symmetry)],
                format_shape({header.rows, header.columns}).c_str(), format_count(header.entries).c_str());
    const std::string filling =
        sparse ? format_filling(*io::read_matrix_market<double>(ctx, source).topology())
               : format_filling(
                     count_nonzero(io::DenseRows<double>(io::read_matrix_market_array<double>(ctx, source).view())),
                     header.rows * header.columns);
    std::printf("%s: %s\n", sparse ? "connections" : "not zero", filling.c_str());
}

inline void inspect_smtx(const std::string& path) {
    snack::HostContext ctx;
    const snack::TopologyPtr topology = io::read_smtx(ctx, io::FileSource(path));
    std::printf("%s: topology without values, %s\nconnections: %s\n", path.c_str(),
                format_shape({topology->out_features(), topology->in_features()}).c_str(),
                format_filling(*topology).c_str());
}

inline void inspect_npy(const std::string& path, examples::Progress& progress) {
    const io::FileSource source(path);
    const io::Npy file(source);
    const io::NpyHeader& header = file.header();
    std::printf("%s: NumPy array, %s, %s, %s order%s\n", path.c_str(), io::name_of(header.dtype),
                format_shape(header.shape).c_str(), header.fortran_order ? "Fortran" : "C",
                header.big_endian ? ", big-endian" : "");
    const Size filled = count_nonzero(ShownRows(file, io::shorten(path), progress));
    progress.clear();
    std::printf("not zero: %s\n", format_filling(filled, header.elements).c_str());
}

}  // namespace detail

/// Prints what a file holds. All of it is read.
/// @throws snack::Error if it is damaged
inline void inspect(const Options& options) {
    examples::Progress progress(stderr);
    switch (kind_of(options.in)) {
        case FileKind::safetensors:
            return detail::inspect_safetensors(options.in, progress);
        case FileKind::matrix_market:
            return detail::inspect_matrix_market(options.in);
        case FileKind::smtx:
            return detail::inspect_smtx(options.in);
        case FileKind::npy:
            return detail::inspect_npy(options.in, progress);
    }
}

}  // namespace tool
