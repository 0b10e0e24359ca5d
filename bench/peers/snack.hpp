// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The library's own backends as rows of a table.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <bench/adapter.hpp>
#include <bench/setting.hpp>
#include <snack/concepts/backend.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/nn/sgd.hpp>
#include <snack/nn/sparse_linear.hpp>

namespace bench {

/// Which connections a backend of ours is given: the matrix's own, or all of them, with zeros
/// where the matrix has none.
enum class Connections { sparse, full };

template <class B, Connections C = Connections::sparse>
class Snack {
public:
    static constexpr const char* name = B::name;
    static const char* lacks(Operation) { return is_a_baseline ? nullptr : "no OpenBLAS: loops are no baseline"; }

    Snack(const Problem& problem, const Setting& setting)
        : operation_(setting.operation),
          ctx_(std::make_shared<snack::HostContext>(snack::HostContext::Options{.threads = setting.threads})),
          in_features_(problem.topology->in_features()),
          layer_(*ctx_, matrix_of(problem), {}, {.use = use()}) {
        make_optimizer();
    }
    Snack(const Snack& other)
        : operation_(other.operation_),
          ctx_(other.ctx_),
          in_features_(other.in_features_),
          layer_(*ctx_, copy_of(other.layer_), {}, {.use = use()}) {
        make_optimizer();
    }
    Snack& operator=(const Snack&) = delete;
    ~Snack() = default;

    void tune(Operands&) {}
    void forward(Operands& at) { layer_.forward(*ctx_, at.x(), at.y()); }
    void input_gradient(Operands& at) {
        B::template input_gradient<float>(*ctx_, layer_.plan(), std::as_const(layer_).values(), at.dy(), at.dx());
    }
    void weight_gradient(Operands& at) { layer_.backward(*ctx_, at.x(), at.dy()); }
    void backward(Operands& at) { layer_.backward(*ctx_, at.x(), at.dy(), at.dx()); }
    void training_step(Operands& at) {
        forward(at);
        backward(at);
        sgd_->step(*ctx_, layer_);
    }

    float gradient(Size entry, Index row, Index column) const {
        return layer_.gradients().data()[position(entry, row, column)];
    }
    float value(Size entry, Index row, Index column) const {
        return layer_.values().data()[position(entry, row, column)];
    }

    /// A full matrix needs no coordinates: what `Topology` holds of it is not counted.
    Size bytes() const {
        const Size topology = C == Connections::full ? layer_.topology()->bytes() : 0;
        return layer_.memory().total() - topology + (sgd_ ? sgd_->bytes() : 0) + ctx_->scratch_bytes();
    }

    /// The matrix, with its mask if there is one; of a sparse one values, plan and where rows begin.
    /// Scratch space is not counted: copies share it.
    Size bytes_read() const {
        const snack::MemoryReport memory = layer_.memory();
        if constexpr (snack::FormsDense<B>) {
            return C == Connections::full ? memory.values : memory.plan;
        } else {
            return memory.values + memory.plan + static_cast<Size>(layer_.topology()->row_offsets().size_bytes());
        }
    }

private:
    using Layer = snack::SparseLinear<B, float>;

    /// The dense baselines stand for the best there is, which loops of our own are not.
#if defined(SNACK_WITH_BLAS)
    static constexpr bool is_a_baseline = true;
#else
    static constexpr bool is_a_baseline = !snack::FormsDense<B>;
#endif

    snack::PlanUse use() const {
        return operation_ == Operation::forward ? snack::PlanUse::inference : snack::PlanUse::training;
    }

    void make_optimizer() {
        if (operation_ == Operation::training_step) {
            sgd_.emplace(*ctx_, layer_, snack::SgdOptions{.learning_rate = learning_rate, .momentum = momentum});
        }
    }

    Size position(Size entry, Index row, Index column) const {
        return C == Connections::full ? snack::cell_index(row, column, in_features_) : entry;
    }

    static snack::CooMatrix<float> matrix_of(const Problem& problem) {
        if constexpr (C == Connections::full) {
            const Size cells = problem.topology->cells();
            const Floats dense = dense_values(problem);
            return {
                snack::uniform_topology(problem.topology->out_features(), problem.topology->in_features(), cells, {}),
                buffer_of(dense)};
        } else {
            return {problem.topology, buffer_of(problem.values)};
        }
    }

    static snack::CooMatrix<float> copy_of(const Layer& layer) {
        const snack::Topology& topology = *layer.topology();
        snack::Buffer<Size> cells(topology.nnz());
        snack::for_each_entry(topology, [&](Size entry, Index row, Index column) {
            cells[entry] = snack::cell_index(row, column, topology.in_features());
        });
        return {snack::Topology::from_cells(topology.out_features(), topology.in_features(), cells.span()),
                buffer_of(layer.values())};
    }

    static snack::Buffer<float> buffer_of(std::span<const float> values) {
        snack::Buffer<float> buffer(static_cast<Size>(values.size()));
        std::copy(values.begin(), values.end(), buffer.begin());
        return buffer;
    }

    Operation operation_;
    std::shared_ptr<snack::HostContext> ctx_;
    Size in_features_;
    Layer layer_;
    std::optional<snack::Sgd<float>> sgd_;
};

}  // namespace bench
