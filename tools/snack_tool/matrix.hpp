// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One matrix out of a file of any kind, and into one.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <snack/io/densify.hpp>
#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <snack/io/matrix_market_writer.hpp>
#include <snack/io/npy.hpp>
#include <snack/io/npy_writer.hpp>
#include <snack/io/smtx.hpp>
#include <snack/io/tensor_rows.hpp>
#include <snack/memory/host_context.hpp>
#include <tools/snack_tool/options.hpp>

namespace tool {

namespace io = snack::io;
using snack::CooMatrix;
using snack::Scalar;

/// Whether float is too narrow for the numbers of a type.
inline bool needs_double(io::DType type) {
    return type == io::DType::F64 || (io::is_integer(type) && io::bytes_of(type) >= 4);
}

inline bool is_floating(io::DType type) {
    return io::is_decoded(type) && !io::is_integer(type) && type != io::DType::BOOL;
}

/// @throws UnsupportedError for an array of another number of dimensions than two
inline void require_matrix(const io::NpyHeader& header, const io::Source& source) {
    snack::require<snack::UnsupportedError>(header.shape.size() == 2, source.name().c_str(), "has ",
                                            header.shape.size(), " dimensions, a weight has 2");
}

/// Of a matrix that has no name in its file.
inline std::string matrix_name(const Options& options) {
    return options.name.empty() ? std::filesystem::path(options.in).stem().string() : options.name;
}

/// A name as tables show it: in quotes where it would not be seen.
inline std::string shown(const std::string& name) {
    const bool visible = name.find_first_not_of(' ') == 0 && name.back() != ' ';
    return visible ? io::shorten(name) : io::quote_or(name, "''");
}

/// Calls call(T{}) with the type of the numbers that are to be written.
template <class Call>
void with_scalar(const Options& options, bool needs_double, const Call& call) {
    if (options.dtype == "F64" || (options.dtype.empty() && needs_double)) {
        call(double{});
    } else {
        call(float{});
    }
}

/// Sparse or dense; a sparse one may have a bias and a random key.
template <Scalar T>
struct Matrix {
    std::string name;
    std::variant<CooMatrix<T>, io::DenseMatrix<T>> weight;
    snack::Buffer<T> bias;
    snack::MatrixLayerOptions key;
};

/// A file of which one matrix is read.
class Input {
public:
    /// @throws snack::Error if the file is not what its name says, or has not one matrix
    explicit Input(const Options& options)
        : kind_(kind_of(options.in)),
          source_(std::make_shared<io::FileSource>(options.in)),
          name_(matrix_name(options)) {
        if (kind_ == FileKind::safetensors) {
            file_ = std::make_unique<io::LayerFile>(io::Safetensors(source_));
            choose(NameFilter(options.tensors, ""));
        }
    }

    /// Whether its numbers do not all fit into float.
    bool needs_double() const {
        switch (kind_) {
            case FileKind::safetensors:
                return tool::needs_double(
                    file_->tensors().at(is_layer_ ? io::LayerFile::prefixed(name_, "weight.values") : name_).dtype);
            case FileKind::npy:
                return tool::needs_double(io::read_npy_header(*source_).dtype);
            default:
                return kind_ == FileKind::matrix_market;
        }
    }

    /// @throws snack::Error if the file is damaged, or an array that is no matrix
    template <Scalar T>
    Matrix<T> read(snack::HostContext& ctx) const {
        switch (kind_) {
            case FileKind::safetensors:
                return read_safetensors<T>();
            case FileKind::npy:
                require_matrix(io::read_npy_header(*source_), *source_);
                return {name_, io::read_npy<T>(*source_), {}, {}};
            case FileKind::smtx: {
                const snack::TopologyPtr topology = io::read_smtx(ctx, *source_);
                return {name_, CooMatrix<T>(topology, snack::Buffer<T>(topology->nnz(), T{1}, nullptr)), {}, {}};
            }
            default:
                break;
        }
        if (io::read_matrix_market_header(*source_).format == io::MatrixMarketHeader::Format::array) {
            return {name_, io::read_matrix_market_array<T>(ctx, *source_), {}, {}};
        }
        return {name_, io::read_matrix_market<T>(ctx, *source_), {}, {}};
    }

private:
    /// Finds the one layer that the filter leaves or, where it leaves none, the one tensor of two dimensions.
    void choose(const NameFilter& filter) {
        const std::vector<std::string> layers = file_->names();
        std::vector<std::string> matrices;
        for (const io::TensorInfo& tensor : file_->tensors().tensors()) {
            if (tensor.shape.size() == 2) {
                matrices.push_back(tensor.name);
            }
        }
        std::vector<std::string> found = matching(layers, filter);
        is_layer_ = !found.empty();
        if (!is_layer_) {
            found = matching(matrices, filter);
        }
        const char* where = source_->name().c_str();
        snack::require<snack::UnsupportedError>(!layers.empty() || !matrices.empty(), where,
                                                "has neither a sparse layer nor a tensor of two dimensions");
        snack::require<snack::UnsupportedError>(!found.empty(), where, "nothing matches --tensors, one is wanted of ",
                                                layers.empty() ? "the matrices " : "the layers ",
                                                io::quote_all(layers.empty() ? matrices : layers));
        snack::require<snack::UnsupportedError>(found.size() == 1, where, found.size(),
                                                is_layer_ ? " layers match, " : " matrices match, ",
                                                io::quote_all(found), "; one is wanted, --tensors says which");
        name_ = found.front();
    }

    static std::vector<std::string> matching(const std::vector<std::string>& names, const NameFilter& filter) {
        std::vector<std::string> found;
        std::copy_if(names.begin(), names.end(), std::back_inserter(found),
                     [&](const std::string& name) { return filter.matches(name); });
        return found;
    }

    template <Scalar T>
    Matrix<T> read_safetensors() const {
        if (is_layer_) {
            Matrix<T> layer{name_, file_->matrix<T>(name_), {}, file_->random_key(name_)};
            layer.bias = file_->bias<T>(name_, std::get<0>(layer.weight).out_features());
            return layer;
        }
        const io::Safetensors& tensors = file_->tensors();
        const io::TensorInfo& tensor = tensors.at(name_);
        return {name_, io::DenseMatrix<T>{tensor.shape[0], tensor.shape[1], tensors.read<T>(tensor)}, {}, {}};
    }

    FileKind kind_;
    std::shared_ptr<const io::FileSource> source_;
    std::string name_;
    std::unique_ptr<io::LayerFile> file_;
    bool is_layer_ = false;
};

/// What a sparse matrix may become when it is written out in full: a small file can name any shape.
inline constexpr Size most_dense_cells = Size{1} << 28;

/// Writes a file of the kind that its name ends with; a bias and a key go into .safetensors alone.
/// @throws FileError; UnsupportedError for a matrix that would be too large as a dense one
template <Scalar T>
void write(snack::HostContext& ctx, const std::string& path, const std::string& name, const CooMatrix<T>& sparse,
           std::span<const T> bias = {}, const snack::MatrixLayerOptions& key = {}) {
    io::DenseMatrix<T> dense;
    io::LayerFileWriter layers;
    switch (kind_of(path)) {
        case FileKind::safetensors:
            layers.add_matrix(name, sparse, bias, key);
            return layers.write(path);
        case FileKind::matrix_market:
            return io::write_matrix_market(ctx, path, sparse);
        case FileKind::smtx:
            return io::write_smtx(ctx, path, *sparse.topology());
        case FileKind::npy:
            snack::require<snack::UnsupportedError>(sparse.topology()->cells() <= most_dense_cells, path.c_str(),
                                                    "takes dense arrays, this one would have ",
                                                    sparse.topology()->cells(), " cells, more than ", most_dense_cells);
            dense = {sparse.out_features(), sparse.in_features(),
                     snack::Buffer<T>(sparse.out_features() * sparse.in_features())};
            io::densify(sparse, dense.view());
            return io::write_npy(path, dense.view());
    }
}

/// As above; .smtx gets the places that are not zero.
template <Scalar T>
void write(snack::HostContext& ctx, const std::string& path, const std::string& name, const io::DenseMatrix<T>& dense) {
    io::SafetensorsWriter tensors;
    switch (kind_of(path)) {
        case FileKind::safetensors:
            tensors.add(name, {dense.rows, dense.columns}, dense.values.span());
            return tensors.write(path);
        case FileKind::matrix_market:
            return io::write_matrix_market_array(ctx, path, dense.view());
        case FileKind::smtx:
            return io::write_smtx(ctx, path,
                                  *io::sparsify<T>(io::DenseRows<T>(dense.view()), io::MagnitudesAbove{0}).topology());
        case FileKind::npy:
            return io::write_npy(path, dense.view());
    }
}

}  // namespace tool
