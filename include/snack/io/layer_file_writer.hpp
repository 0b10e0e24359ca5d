// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Saves sparse layers, whole networks and the state of their training, under the names that layer_file.hpp lists. The
// same network gives the same bytes. Needs no JSON library.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/core/span.hpp>
#include <snack/io/safetensors_writer.hpp>
#include <snack/nn/layer_options.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::io {

/// Collects layers, of which it keeps the addresses alone, and writes them. What is added, and its context, must live
/// and stay as it is until it is written. Arrays on a GPU are copied piece by piece.
class LayerFileWriter {
public:
    LayerFileWriter() { tensors_.set_metadata("snack_layers", "1"); }

    /// For metadata and tensors of the caller's own in the same file.
    SafetensorsWriter& tensors() noexcept { return tensors_; }

    /// @throws UnsupportedError for a layer that was moved from; ArgumentError for a name that is taken or not UTF-8
    template <class Context, class Layer>
    void add(Context& ctx, const std::string& name, const Layer& layer) {
        require<UnsupportedError>(layer.topology() != nullptr, where, "layer ", quote(name),
                                  " is empty, it was moved from");
        add_parts(ctx, name, layer.topology(), layer.values(), layer.bias(), layer.options());
    }

    /// The layer and its optimiser.
    /// @throws as the other `add`; TopologyError if the state is not that of the layer as it is now
    template <class Context, class Layer, class Optimizer>
    void add(Context& ctx, const std::string& name, const Layer& layer, const Optimizer& optimizer) {
        optimizer.require_current(where, ctx, layer);
        add(ctx, name, layer);
        StateWriter<Context> state{*this, ctx, prefixed(name, Optimizer::name) + "."};
        Optimizer::visit_state(optimizer, state);
    }

    /// A matrix on the host, with a bias or none.
    /// @throws UnsupportedError for an empty matrix object; ShapeError for a bias of another extent; ArgumentError
    template <Scalar T>
    void add_matrix(const std::string& name, const CooMatrix<T>& matrix, std::span<const T> bias = {},
                    const MatrixLayerOptions& options = {}) {
        require<UnsupportedError>(matrix.topology() != nullptr, where, "matrix ", quote(name), " is empty");
        require<ShapeError>(bias.empty() || static_cast<Size>(bias.size()) == matrix.out_features(), where, "bias of ",
                            quote(name), " has ", bias.size(), " elements, the matrix ", matrix.out_features(),
                            " rows");
        OnHost host;
        add_parts(host, name, matrix.topology(), matrix.values(), bias, options);
    }

    /// Writes a file that appears whole or not at all.
    /// @throws FileError; CudaError if an array cannot be copied
    void write(const std::string& path) const { tensors_.write(path); }
    /// The same bytes to anything that has write(std::span<const std::byte>).
    template <class Sink>
    void write_to(Sink& sink) const {
        tensors_.write_to(sink);
    }

private:
    static constexpr const char* where = "LayerFileWriter";

    struct OnHost {
        using space = HostSpace;
    };

    /// What an optimiser hands its arrays to.
    template <class Context>
    struct StateWriter {
        LayerFileWriter& file;
        Context& ctx;
        std::string prefix;

        template <class Span>
        void connections(const char* array, Span elements) {
            bias(array, elements);
        }
        template <class Span>
        void bias(const char* array, Span elements) {
            if (!elements.empty()) {
                file.add_array(ctx, prefix + array, elements);
            }
        }
        void numbers(const char* array, std::span<const double> elements, double, double) {
            file.add_numbers<double>(prefix + array, DType::F64, {elements.begin(), elements.end()});
        }
    };

    static std::string prefixed(const std::string& name, const char* part) {
        return name.empty() ? part : name + "." + part;
    }

    template <class Context, class TopologyPointer, class Span>
    void add_parts(Context& ctx, const std::string& name, const TopologyPointer& topology, Span values, Span bias,
                   const MatrixLayerOptions& options) {
        add_array(ctx, prefixed(name, "weight.values"), values);
        add_array(ctx, prefixed(name, "weight.columns"), topology->columns());
        add_array(ctx, prefixed(name, "weight.row_offsets"), topology->row_offsets());
        kept_.push_back(topology);
        add_numbers<Size>(prefixed(name, "weight.shape"), DType::I64,
                          {topology->out_features(), topology->in_features()});
        if (!bias.empty()) {
            add_array(ctx, prefixed(name, "bias"), bias);
        }
        add_numbers<std::uint64_t>(prefixed(name, "random_key"), DType::U64,
                                   {options.seed, options.stream, options.rewire_count});
    }

    template <class Context, class Span>
    void add_array([[maybe_unused]] Context& ctx, const std::string& name, Span elements) {
        std::vector<Size> shape{static_cast<Size>(elements.size())};
        if constexpr (std::is_same_v<typename Context::space, HostSpace>) {
            tensors_.add(name, std::move(shape), elements);
        } else {
            using T = std::remove_const_t<typename Span::element_type>;
            tensors_.add(name, dtype_of<T>(), std::move(shape), [&ctx, elements](Size first, std::span<std::byte> to) {
                const std::span<T> piece(reinterpret_cast<T*>(to.data()), to.size() / sizeof(T));
                ctx.copy_to_host(elements.subspan(static_cast<std::size_t>(first) / sizeof(T), piece.size()), piece);
            });
        }
    }

    /// A few numbers, which the writer keeps.
    template <class T>
    void add_numbers(const std::string& name, DType dtype, std::vector<T> numbers) {
        const auto count = static_cast<Size>(numbers.size());
        tensors_.add(name, dtype, {count}, [kept = std::move(numbers)](Size first, std::span<std::byte> to) {
            std::memcpy(to.data(), reinterpret_cast<const std::byte*>(kept.data()) + first, to.size());
        });
    }

    SafetensorsWriter tensors_;
    std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace snack::inline v0::io
