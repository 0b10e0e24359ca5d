// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a layer checks about the options and arrays that it is made from, and about the views of a call before
// anything is written. Each text names the call, the operand, what came and what was wanted.

#include <span>

#include <snack/concepts/context.hpp>
#include <snack/core/error.hpp>
#include <snack/core/matrix_view.hpp>
#include <snack/init/uniform_topology.hpp>
#include <snack/nn/layer_options.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::detail {

/// The view must be (batch, wanted); `verb` is what the layer does with it: "takes" or "gives".
template <class T, class Space>
void check_extents(const char* where, const char* name, const MatrixView<T, Space>& view, Size wanted, const char* verb,
                   Size batch) {
    require<ShapeError>(view.features() == wanted, where, name, " has ", view.features(), " features, the layer ", verb,
                        " ", wanted);
    require<ShapeError>(view.batch() == batch, where, name, " has ", view.batch(), " samples, x has ", batch);
}

template <class A, class B, class Space>
void check_layout(const char* where, const char* a_name, const MatrixView<A, Space>& a, const char* b_name,
                  const MatrixView<B, Space>& b) {
    require<ShapeError>(a.layout() == b.layout(), where, a_name, " and ", b_name,
                        " differ in layout; all views of a call share one");
}

/// An input and an output: one layout, and not the same memory.
template <class A, class B, class Space>
void check_pair(const char* where, const char* a_name, const MatrixView<A, Space>& a, const char* b_name,
                const MatrixView<B, Space>& b) {
    check_layout(where, a_name, a, b_name, b);
    require<ShapeError>(a.empty() || b.empty() || static_cast<const void*>(a.data()) != b.data(), where, b_name,
                        " overlaps ", a_name);
}

/// A view or span must lie where the context's work can reach it; nobody looks at an empty one.
template <class Context, class Operand>
void check_memory(const char* where, const char* name, const Context& ctx, const Operand& operand) {
    if constexpr (ChecksMemory<Context>) {
        if (!operand.empty()) {
            ctx.require_own(where, name, operand.data());
        }
    }
}

/// A bias has an element for each row, or none.
template <class Topology, class Span>
void check_bias(const char* where, const Topology& topology, const Span& bias) {
    require<ShapeError>(bias.empty() || static_cast<Size>(bias.size()) == topology.out_features(), where, "bias has ",
                        bias.size(), " elements, the matrix ", topology.out_features(), " rows");
}

/// How many connections the options of a random topology ask for.
inline Size checked_entries(const LayerOptions& options) {
    constexpr const char* where = "SparseLinear";
    require<ShapeError>(options.in_features >= 0 && options.out_features >= 0, where, "in_features ",
                        options.in_features, " and out_features ", options.out_features,
                        ": both must be given and not be negative");
    require<ArgumentError>(options.sparsity.has_value() != options.nnz.has_value(), where,
                           options.nnz.has_value() ? "give sparsity or nnz, not both" : "give sparsity or nnz");
    if (!options.nnz.has_value()) {
        return entries_for_sparsity(options.out_features, options.in_features, *options.sparsity);
    }
    Size cells = 0;
    const bool too_large = __builtin_mul_overflow(options.out_features, options.in_features, &cells);
    require<ArgumentError>(too_large || (*options.nnz >= 0 && *options.nnz <= cells), where, "nnz ", *options.nnz,
                           " is not between 0 and ", cells);
    return *options.nnz;
}

/// The topology of a matrix that a layer is made from.
template <Scalar T>
const TopologyPtr& checked_topology(const CooMatrix<T>& matrix, std::span<const T> bias) {
    constexpr const char* where = "SparseLinear";
    require<UnsupportedError>(matrix.topology() != nullptr, where, "the matrix object is empty");
    check_bias(where, *matrix.topology(), bias);
    return matrix.topology();
}

/// The topology that a layer is made from, with its values and bias where the context's work can reach them.
template <class Context, class Pointer, class Span>
const Pointer& checked_topology(const Context& ctx, const Pointer& topology, const Span& values, const Span& bias) {
    constexpr const char* where = "SparseLinear";
    require<UnsupportedError>(topology != nullptr, where, "the topology is null");
    require<ShapeError>(static_cast<Size>(values.size()) == topology->nnz(), where, values.size(), " values for ",
                        topology->nnz(), " entries");
    check_bias(where, *topology, bias);
    check_memory(where, "the topology", ctx, topology->row_offsets());
    check_memory(where, "values", ctx, values);
    check_memory(where, "bias", ctx, bias);
    return topology;
}

}  // namespace snack::inline v0::detail
