// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sparse layers, whole networks and the state of their training in a safetensors file, and back. Any program with the
// format's own library can read and make such files; for each layer NAME they hold
//
//   NAME.weight.values       the weights of the connections, of any type of numbers (nnz)
//   NAME.weight.columns      the column of each, integers of any width (nnz)
//   NAME.weight.row_offsets  how many connections come before each row, as in CSR (out_features + 1); or instead
//   NAME.weight.rows         the row of each (nnz), and then they may be in any order
//   NAME.weight.shape        out_features, in_features
//   NAME.bias                (out_features); without it the layer has none
//   NAME.random_key          U64: seed, stream, and how often the layer was rewired; without it 0, 0, 0
//   NAME.sgd.velocity        optional, with NAME.sgd.bias_velocity; as the weights and as the bias
//   NAME.adam.first_moment   optional, with second_moment, bias_first_moment, bias_second_moment, and beta_powers, F64:
//                            beta1^t and beta2^t
//
// and the metadata `snack_layers`, "1". What the library writes has row_offsets and no rows, F32 or F64 as the layer,
// and connections sorted by (row, column). Arrays of an optimiser may be missing where they have no elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/io/safetensors.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/nn/layer_options.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::io {

/// Makes layers and optimisers from a file. Whatever it says is checked before it is used; what cannot be made leaves
/// nothing behind. Several threads may share it, each with a context of its own.
class LayerFile {
public:
    /// @throws as Safetensors; UnsupportedError for a later version of the naming
    explicit LayerFile(Safetensors tensors, const Budget& budget = {}) : tensors_(std::move(tensors)), budget_(budget) {
        const auto version = tensors_.metadata().find("snack_layers");
        require<UnsupportedError>(version == tensors_.metadata().end() || version->second == "1", where(), "version ",
                                  quote(version == tensors_.metadata().end() ? "" : version->second),
                                  " of snack_layers; 1 is known");
    }
    explicit LayerFile(const std::string& path, const Budget& budget = {})
        : LayerFile(Safetensors(path, budget), budget) {}

    /// The file itself, with its metadata and other tensors.
    const Safetensors& tensors() const noexcept { return tensors_; }

    /// The layers, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const TensorInfo& tensor : tensors_.tensors()) {
            const std::string_view name = tensor.name;
            if (name == values_name) {
                names.emplace_back();
            } else if (name.ends_with(values_name) && name[name.size() - values_name.size() - 1] == '.') {
                names.emplace_back(name.substr(0, name.size() - values_name.size() - 1));
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    /// The weights, as T. O(nnz + out_features) time; memory for the matrix and 32 bytes for each connection.
    /// @throws TopologyError, naming the entry, for a coordinate out of range or given twice; FormatError for tensors
    ///         that are missing or do not fit together, and beyond the budget; ShapeError; FileError
    template <Scalar T>
    CooMatrix<T> matrix(const std::string& name, Allocator* allocator = nullptr) const {
        const Canonical entries = coordinates(name, allocator);
        return {entries.topology, in_order<T>(at(name, values_name), entries.permutation, allocator)};
    }

    /// The bias of a layer of so many outputs, or no elements.
    /// @throws FormatError if it has another number of elements; FileError
    template <Scalar T>
    Buffer<T> bias(const std::string& name, Size out_features, Allocator* allocator = nullptr) const {
        const TensorInfo* tensor = find(name, "bias");
        if (tensor == nullptr) {
            return Buffer<T>();
        }
        require_elements(*tensor, out_features);
        return tensors_.read<T>(*tensor, allocator);
    }

    /// Seed, stream and number of rewires.
    /// @throws FormatError if they are not what they should be; FileError
    MatrixLayerOptions random_key(const std::string& name) const {
        const TensorInfo* tensor = find(name, "random_key");
        if (tensor == nullptr) {
            return {};
        }
        require_elements(*tensor, 3);
        require<FormatError>(tensor->dtype == DType::U64 || tensor->dtype == DType::I64, where(), "tensor ",
                             quote(tensor->name), " has dtype ", name_of(tensor->dtype), ", U64 is wanted");
        std::uint64_t key[3] = {};
        tensors_.read_bytes(*tensor, 0, std::as_writable_bytes(std::span(key)));
        require<FormatError>(key[1] <= 0xffffffff && key[2] <= 0xffffffff, where(), "tensor ", quote(tensor->name),
                             ": stream ", key[1], " or rewire count ", key[2], " is beyond 32 bits");
        return {.seed = key[0],
                .stream = static_cast<std::uint32_t>(key[1]),
                .rewire_count = static_cast<std::uint32_t>(key[2])};
    }

    /// A layer, say SparseLinear<Host, float>, which goes on exactly like the one that was saved. Numbers of another
    /// type are converted as io::decode says.
    /// @throws as matrix, bias and random_key; what the allocator throws
    template <class Layer>
    Layer layer(typename Layer::context_type& ctx, const std::string& name, PlanUse use = PlanUse::training) const {
        using T = typename Layer::scalar;
        const CooMatrix<T> weight = matrix<T>(name, host_allocator(ctx));
        const Buffer<T> added = bias<T>(name, weight.out_features(), host_allocator(ctx));
        MatrixLayerOptions options = random_key(name);
        options.use = use;
        return Layer(ctx, weight, added.span(), options);
    }

    /// The optimiser of a layer that was loaded from the same file, say Sgd<float>, made from the options and with
    /// the state that was saved. Options may stand in braces.
    /// @throws FormatError if the file has no state of this optimiser, or one that does not fit the options;
    ///         TopologyError if the layer has other connections; as matrix, and as the optimiser's constructor
    template <class Optimizer, class Context, class Layer, class Options = typename Optimizer::options_type>
    Optimizer optimizer(Context& ctx, const std::string& name, const Layer& layer, const Options& options) const {
        Optimizer loaded(ctx, layer, options);
        Allocator* const allocator = host_allocator(ctx);
        const Canonical entries = coordinates(name, allocator);
        HostContext host(HostContext::Options{.threads = 1, .allocator = allocator});
        require<TopologyError>(same_coordinates(*copy_topology(host, ctx, layer.topology()), *entries.topology),
                               where(), "layer ", quote(name),
                               " has other connections than the layer it is loaded for");
        StateReader<Context, typename Layer::scalar> reader{*this, ctx, prefixed(name, Optimizer::name) + ".",
                                                            entries.permutation};
        Optimizer::visit_state(loaded, reader);
        return loaded;
    }

    /// NAME.part, or the part alone for a layer without a name.
    static std::string prefixed(std::string_view name, std::string_view part) {
        std::string full(name);
        return (full += name.empty() ? "" : ".") += part;
    }

private:
    static constexpr std::string_view values_name = "weight.values";

    /// What an optimiser hands its arrays to.
    template <class Context, class T>
    struct StateReader {
        const LayerFile& file;
        Context& ctx;
        std::string prefix;
        const Buffer<Size>& permutation;

        template <class Span>
        void connections(const char* array, Span to) {
            if (const TensorInfo* tensor = find(array, static_cast<Size>(to.size()))) {
                const Buffer<T> elements = file.in_order<T>(*tensor, permutation, host_allocator(ctx));
                ctx.copy_from_host(elements.span(), to);
            }
        }
        template <class Span>
        void bias(const char* array, Span to) {
            if (const TensorInfo* tensor = find(array, static_cast<Size>(to.size()))) {
                const Buffer<T> elements = file.tensors_.read<T>(*tensor, host_allocator(ctx));
                ctx.copy_from_host(elements.span(), to);
            }
        }
        void numbers(const char* array, std::span<double> to, double least, double most) {
            const TensorInfo* tensor = find(array, static_cast<Size>(to.size()));
            file.tensors_.read<double>(*tensor, 0, to);
            for (const double number : to) {
                require<FormatError>(number >= least && number <= most, file.where(), "tensor ", quote(tensor->name),
                                     ": ", number, " is not between ", least, " and ", most);
            }
        }

    private:
        const TensorInfo* find(const char* array, Size elements) const {
            const TensorInfo* tensor = file.tensors_.find(prefix + array);
            if (tensor != nullptr || elements > 0) {
                tensor = &file.tensors_.at(prefix + array);
                file.require_elements(*tensor, elements);
            }
            return tensor;
        }
    };

    const char* where() const { return tensors_.name().c_str(); }

    const TensorInfo* find(const std::string& name, std::string_view part) const {
        return tensors_.find(prefixed(name, part));
    }
    const TensorInfo& at(const std::string& name, std::string_view part) const {
        return tensors_.at(prefixed(name, part));
    }

    /// @throws FormatError for a name of which the file has nothing, with those of the layers there are
    void require_layer(const std::string& name) const {
        for (const std::string_view part :
             {std::string_view("weight.shape"), std::string_view("weight.columns"), values_name}) {
            if (find(name, part) != nullptr) {
                return;
            }
        }
        const std::vector<std::string> layers = names();
        require<FormatError>(!layers.empty(), where(), "has no layer ", quote(name), ", nor any other");
        snack::detail::fail<FormatError>(where(), "has no layer ", quote(name), "; there ",
                                         layers.size() == 1 ? "is " : "are ", quote_all(layers));
    }

    void require_elements(const TensorInfo& tensor, Size wanted) const {
        require<FormatError>(tensor.elements == wanted, where(), "tensor ", quote(tensor.name), " has ",
                             tensor.elements, " elements, ", wanted, " are wanted");
    }

    /// Memory of the host for a layer of the context.
    template <class Context>
    static Allocator* host_allocator(const Context& ctx) {
        if constexpr (std::is_same_v<typename Context::space, HostSpace>) {
            return ctx.allocator();
        } else {
            return nullptr;
        }
    }

    /// The connections of a layer, sorted, and where each stands in the file.
    Canonical coordinates(const std::string& name, Allocator* allocator) const {
        require_layer(name);
        Size shape[2] = {};
        const TensorInfo& extents = at(name, "weight.shape");
        require_elements(extents, 2);
        tensors_.read_integers(extents, 0, shape);
        const Size most = budget_.features_in(tensors_.source().size());
        for (const Size extent : shape) {
            require<FormatError>(extent >= 0 && extent <= most, where(), "tensor ", quote(extents.name), ": ", extent,
                                 " is not between 0 and ", most, ", the budget");
        }
        const TensorInfo& stored = at(name, "weight.columns");
        Size cells = 0;
        require<TopologyError>(__builtin_mul_overflow(shape[0], shape[1], &cells) || stored.elements <= cells, where(),
                               "tensor ", quote(stored.name), " has ", stored.elements, " elements, the matrix ", cells,
                               " cells");
        const Buffer<Size> rows = read_rows(name, shape[0], stored.elements, allocator);
        Buffer<Size> columns(stored.elements, allocator);
        tensors_.read_integers(stored, 0, columns.span());
        std::string call = std::string(where()) + ": layer ";
        call += quote(name);
        return canonicalize(shape[0], shape[1], rows.span(), std::as_const(columns).span(), allocator, call.c_str());
    }

    Buffer<Size> read_rows(const std::string& name, Size out_features, Size nnz, Allocator* allocator) const {
        const TensorInfo* given = find(name, "weight.rows");
        const TensorInfo* offsets = find(name, "weight.row_offsets");
        require<FormatError>((given == nullptr) != (offsets == nullptr), where(), "layer ", quote(name), " has ",
                             given != nullptr ? "both rows and" : "neither rows nor", " row_offsets");
        Buffer<Size> rows(nnz, allocator);
        if (given != nullptr) {
            require_elements(*given, nnz);
            tensors_.read_integers(*given, 0, rows.span());
        } else {
            require_elements(*offsets, out_features + 1);
            expand_offsets(*offsets, rows);
        }
        return rows;
    }

    /// rows[e] from the entries before each row, which begin with 0, never fall and end with their number.
    void expand_offsets(const TensorInfo& tensor, Buffer<Size>& rows) const {
        Size piece[512];
        Size filled = 0;
        for (Size begin = 0; begin < tensor.elements; begin += std::ssize(piece)) {
            const auto now = std::span(piece).first(
                static_cast<std::size_t>(std::min<Size>(std::ssize(piece), tensor.elements - begin)));
            tensors_.read_integers(tensor, begin, now);
            for (std::size_t i = 0; i < now.size(); ++i) {
                const Size row = begin + static_cast<Size>(i);
                const Size most = row == 0 ? 0 : rows.size();
                require<TopologyError>(now[i] >= filled && now[i] <= most, where(), "tensor ", quote(tensor.name),
                                       ": element ", row, " is ", now[i], ", not between ", filled, " and ", most);
                std::fill(rows.begin() + filled, rows.begin() + now[i], row - 1);
                filled = now[i];
            }
        }
        require<TopologyError>(filled == rows.size(), where(), "tensor ", quote(tensor.name), " ends with ", filled,
                               ", there are ", rows.size(), " columns");
    }

    /// The elements of a tensor, each where its connection is in the canonical order.
    template <Scalar T>
    Buffer<T> in_order(const TensorInfo& tensor, const Buffer<Size>& permutation, Allocator* allocator) const {
        require_elements(tensor, permutation.size());
        Buffer<T> stored = tensors_.read<T>(tensor, allocator);
        Size sorted = 0;
        while (sorted < permutation.size() && permutation[sorted] == sorted) {
            ++sorted;
        }
        if (sorted == permutation.size()) {
            return stored;
        }
        Buffer<T> elements = stored.similar(stored.size());
        for (Size e = 0; e < elements.size(); ++e) {
            elements[e] = stored[permutation[e]];
        }
        return elements;
    }

    Safetensors tensors_;
    Budget budget_;
};

}  // namespace snack::inline v0::io
