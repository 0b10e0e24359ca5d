// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The command `prune`. Weights are read a few rows at a time, so what it takes is memory for what is kept.

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <examples/support/format.hpp>
#include <examples/support/progress.hpp>
#include <examples/support/table.hpp>
#include <tools/snack_tool/matrix.hpp>
#include <tools/snack_tool/shown_rows.hpp>

namespace tool {

namespace detail {

/// By the rule of the command line.
template <Scalar T, class Rows>
std::vector<CooMatrix<T>> prune_all(const std::vector<Rows>& sources, const Options& options) {
    if (options.together) {
        return io::sparsify_together<T>(std::span<const Rows>(sources), io::LargestMagnitudes{*options.sparsity});
    }
    std::vector<CooMatrix<T>> pruned;
    for (const Rows& rows : sources) {
        pruned.push_back(options.groups      ? io::sparsify<T>(rows, *options.groups)
                         : options.threshold ? io::sparsify<T>(rows, io::MagnitudesAbove{*options.threshold})
                         : options.per_row   ? io::sparsify<T>(rows, io::LargestOfEachRow{*options.sparsity})
                                             : io::sparsify<T>(rows, io::LargestMagnitudes{*options.sparsity}));
    }
    return pruned;
}

template <Scalar T>
void print_pruned(const std::vector<std::string>& names, const std::vector<CooMatrix<T>>& pruned) {
    examples::Table table;
    table.add({"layer", "shape", "connections", "of", "sparsity"});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const snack::Topology& topology = *pruned[i].topology();
        table.add({shown(names[i]),
                   std::to_string(topology.out_features()) + " x " + std::to_string(topology.in_features()),
                   examples::format_count(topology.nnz()), examples::format_count(topology.cells()),
                   examples::format_share(topology.free_cells(), topology.cells())});
    }
    table.print(stdout);
}

/// NAME.weight is the weight of layer NAME, and its bias is NAME.bias.
inline std::string layer_of(const std::string& tensor) {
    constexpr std::string_view suffix = ".weight";
    return tensor == "weight"         ? ""
           : tensor.ends_with(suffix) ? tensor.substr(0, tensor.size() - suffix.size())
                                      : tensor;
}

/// The dense weights of a file of named tensors, and where they go.
class PrunedFile {
public:
    /// @throws snack::Error if the file is damaged or no tensor is chosen
    explicit PrunedFile(const Options& options) : options_(options), file_(options.in) {
        const NameFilter filter(options.tensors, "weight");
        for (const io::TensorInfo& tensor : file_.tensors()) {
            if (is_dense_weight(tensor) && filter.matches(tensor.name)) {
                chosen_.push_back(&tensor);
                names_.push_back(layer_of(tensor.name));
            }
        }
        if (chosen_.empty()) {
            fail_nothing_chosen();
        }
    }

    bool needs_double() const {
        for (const io::TensorInfo* tensor : chosen_) {
            if (tensor->dtype == io::DType::F64) {
                return true;
            }
        }
        return false;
    }

    template <Scalar T>
    void prune(examples::Progress& progress) const {
        std::vector<ShownRows<io::TensorRows>> sources;
        for (const io::TensorInfo* tensor : chosen_) {
            sources.emplace_back(io::TensorRows(file_, *tensor), io::shorten(tensor->name), progress);
        }
        const std::vector<CooMatrix<T>> pruned = prune_all<T>(sources, options_);
        announce(progress, "writing " + options_.out);
        if (kind_of(options_.out) == FileKind::safetensors) {
            write_layers<T>(pruned);
        } else {
            snack::require<snack::UnsupportedError>(pruned.size() == 1, options_.out.c_str(), "takes one matrix, ",
                                                    pruned.size(), " tensors of ", options_.in, " match");
            snack::HostContext ctx;
            write<T>(ctx, options_.out, names_[0], pruned[0]);
        }
        progress.clear();
        print_pruned<T>(names_, pruned);
    }

private:
    static bool is_dense_weight(const io::TensorInfo& tensor) {
        return tensor.shape.size() == 2 && tensor.elements > 0 && is_floating(tensor.dtype);
    }

    /// Says what there is instead.
    [[noreturn]] void fail_nothing_chosen() const {
        std::vector<std::string> dense;
        for (const io::TensorInfo& tensor : file_.tensors()) {
            if (is_dense_weight(tensor)) {
                dense.push_back(tensor.name);
            }
        }
        const std::vector<std::string> layers = io::LayerFile(file_).names();
        const char* where = options_.in.c_str();
        snack::require<snack::UnsupportedError>(
            !dense.empty() || layers.empty(), where,
            "there is nothing dense to prune, all layers are sparse already: ", io::quote_all(layers));
        snack::require<snack::UnsupportedError>(!dense.empty(), where,
                                                "has no tensor of floating-point numbers in two dimensions");
        snack::detail::fail<snack::UnsupportedError>(
            where, "no dense weight has a name that ",
            options_.tensors.empty() ? "ends with 'weight'" : "matches --tensors", "; there are ",
            io::quote_all(dense));
    }

    /// The bias of a pruned layer, or null.
    const io::TensorInfo* bias_of(std::size_t layer) const {
        const io::TensorInfo* bias = file_.find(io::LayerFile::prefixed(names_[layer], "bias"));
        return bias != nullptr && bias->shape == std::vector<Size>{chosen_[layer]->shape[0]} && is_floating(bias->dtype)
                   ? bias
                   : nullptr;
    }

    /// The layers, and everything else as it is.
    template <Scalar T>
    void write_layers(const std::vector<CooMatrix<T>>& pruned) const {
        io::LayerFileWriter layers;
        std::vector<snack::Buffer<T>> biases;
        std::vector<const io::TensorInfo*> done = chosen_;
        for (std::size_t i = 0; i < pruned.size(); ++i) {
            const io::TensorInfo* bias = bias_of(i);
            biases.push_back(bias != nullptr ? file_.read<T>(*bias) : snack::Buffer<T>());
            done.push_back(bias);
        }
        for (std::size_t i = 0; i < pruned.size(); ++i) {
            layers.add_matrix<T>(names_[i], pruned[i], std::as_const(biases[i]).span());
        }
        std::sort(done.begin(), done.end());
        for (const auto& [name, text] : file_.metadata()) {
            if (name != "snack_layers") {
                layers.tensors().set_metadata(name, text);
            }
        }
        for (const io::TensorInfo& tensor : file_.tensors()) {
            if (!std::binary_search(done.begin(), done.end(), &tensor)) {
                layers.tensors().add(tensor.name, tensor.dtype, tensor.shape,
                                     [&](Size first, std::span<std::byte> to) { file_.read_bytes(tensor, first, to); });
            }
        }
        layers.write(options_.out);
    }

    const Options& options_;
    io::Safetensors file_;
    std::vector<const io::TensorInfo*> chosen_;
    std::vector<std::string> names_;
};

/// A single dense matrix, .npy or an array of Matrix Market.
template <Scalar T, class Rows>
void prune_one(Rows rows, const Options& options, examples::Progress& progress) {
    const std::string name = matrix_name(options);
    std::vector<ShownRows<Rows>> sources;
    sources.emplace_back(std::move(rows), io::shorten(name), progress);
    const std::vector<CooMatrix<T>> pruned = prune_all<T>(sources, options);
    snack::HostContext ctx;
    write<T>(ctx, options.out, name, pruned[0]);
    progress.clear();
    print_pruned<T>({name}, pruned);
}

}  // namespace detail

/// Prunes the dense weights of a file by the one rule of the options, writes what is left and prints a table of it.
/// @throws snack::Error if a file cannot be read or written, is damaged or has nothing to prune
inline void prune(const Options& options) {
    examples::Progress progress(stderr);
    const FileKind kind = kind_of(options.in);
    if (kind == FileKind::safetensors) {
        const detail::PrunedFile file(options);
        with_scalar(options, file.needs_double(), [&]<class T>(T) { file.prune<T>(progress); });
        return;
    }
    const io::FileSource source(options.in);
    if (kind == FileKind::npy) {
        const io::Npy file(source);
        require_matrix(file.header(), source);
        with_scalar(options, needs_double(file.header().dtype),
                    [&]<class T>(T) { detail::prune_one<T>(file, options, progress); });
        return;
    }
    snack::require<snack::UnsupportedError>(kind != FileKind::smtx, options.in.c_str(),
                                            "has no values to prune by magnitude");
    snack::require<snack::UnsupportedError>(
        io::read_matrix_market_header(source).format == io::MatrixMarketHeader::Format::array, options.in.c_str(),
        "is sparse already, as coordinates; a dense array is wanted (`convert` makes a .npy of it)");
    with_scalar(options, true, [&]<class T>(T) {
        snack::HostContext ctx;
        const io::DenseMatrix<T> dense = io::read_matrix_market_array<T>(ctx, source);
        detail::prune_one<T>(io::DenseRows<T>(dense.view()), options, progress);
    });
}

}  // namespace tool
