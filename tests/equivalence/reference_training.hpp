// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Dynamic sparse training by the `Reference` backend, one step at a time: two layers with ReLU and
// softmax cross-entropy, SGD with momentum, rewired now and then, on made-up data. Each step leaves a
// record of what every layer held and met, for other backends to be tried on (paper, section 4.3).

#include <array>
#include <cmath>

#include <snack/backends/reference.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/problem.hpp>

namespace tests::equivalence {

/// One layer at one step: its state before the update, its input, and the gradient of its output.
template <class T>
struct LayerRecord {
    Pattern pattern;
    std::uint64_t topology_version;  ///< changes with a rewire
    Size batch;
    Placement placement;
    std::vector<T> values;
    std::vector<T> bias;
    Activations<T> x;
    Activations<T> dy;
};

/// What the oracle says about a record.
template <class T>
struct ExactResults {
    std::vector<ExactSum> y;
    std::vector<ExactSum> dx;
    std::vector<ExactSum> dw;
    std::vector<ExactSum> db;

    explicit ExactResults(const LayerRecord<T>& at)
        : y(exact_forward(at.pattern, at.values, at.bias, at.x, at.batch)),
          dx(exact_input_gradient(at.pattern, at.values, at.dy, at.batch)),
          dw(exact_weight_gradient(at.pattern, at.x, at.dy, at.batch)),
          db(exact_bias_gradient(at.dy, at.batch, at.pattern.out_features)) {}
};

inline Pattern pattern_from(const snack::Topology& topology) {
    Pattern pattern{"trained", topology.out_features(), topology.in_features(), {}};
    snack::for_each_entry(topology, [&](Size, Index row, Index column) {
        pattern.cells.push_back(snack::cell_index(row, column, topology.in_features()));
    });
    return pattern;
}

template <class T>
class ReferenceTraining {
public:
    static constexpr int steps = 200;
    static constexpr int steps_between_rewires = 50;

    ReferenceTraining()
        : first_(ctx_, {.in_features = inputs, .out_features = hidden, .sparsity = 0.6, .seed = 7, .stream = 0}),
          second_(ctx_, {.in_features = hidden, .out_features = classes, .sparsity = 0.4, .seed = 7, .stream = 1}),
          first_sgd_(ctx_, first_, {.learning_rate = 0.05, .momentum = 0.9}),
          second_sgd_(ctx_, second_, {.learning_rate = 0.05, .momentum = 0.9}) {}

    /// Trains on the next batch and tells what each layer met. Layouts take turns.
    std::array<LayerRecord<T>, 2> step() {
        const Placement at{step_ % 2 == 0 ? Layout::row_major : Layout::column_major, 1, 1};
        const auto x = activations<T>(Data::random, 100 + step_, batch, inputs, at);
        Activations<T> h(batch, hidden, at);
        Activations<T> y(batch, classes, at);
        Activations<T> dy(batch, classes, at);
        Activations<T> dh(batch, hidden, at);
        first_.forward(ctx_, x.view(), h.view());
        for_each(h, [](T& value, Size, Size) { value = value > 0 ? value : 0; });
        second_.forward(ctx_, h.view(), y.view());
        loss_ = softmax_cross_entropy(x, y, dy);
        second_.backward(ctx_, h.view(), dy.view(), dh.view());
        for_each(dh, [&](T& value, Size sample, Size feature) { value = h(sample, feature) > 0 ? value : 0; });
        first_.backward(ctx_, x.view(), dh.view());
        std::array<LayerRecord<T>, 2> records = {record(first_, at, x, dh), record(second_, at, h, dy)};
        first_sgd_.step(ctx_, first_);
        second_sgd_.step(ctx_, second_);
        if (++step_ % steps_between_rewires == 0) {
            rewire(first_, first_sgd_);
            rewire(second_, second_sgd_);
        }
        return records;
    }

    /// Mean loss of the last batch.
    double loss() const { return loss_; }

private:
    using Layer = snack::SparseLinear<snack::Reference, T>;

    // Large enough for `Host` to cut the first layer into several tasks, and the batch into two tiles.
    static constexpr Size batch = 33;
    static constexpr Size inputs = 48;
    static constexpr Size hidden = 72;
    static constexpr Size classes = 5;

    template <class Visit>
    static void for_each(Activations<T>& matrix, const Visit& visit) {
        const auto view = matrix.view();
        for (Size sample = 0; sample < view.batch(); ++sample) {
            for (Size feature = 0; feature < view.features(); ++feature) {
                visit(view(sample, feature), sample, feature);
            }
        }
    }

    /// The class of a sample is the largest of its first inputs.
    static double softmax_cross_entropy(const Activations<T>& x, const Activations<T>& y, Activations<T>& dy) {
        double loss = 0;
        for (Size sample = 0; sample < batch; ++sample) {
            Size label = 0;
            double sum = 0;
            for (Size i = 0; i < classes; ++i) {
                label = x(sample, i) > x(sample, label) ? i : label;
                sum += std::exp(double{y(sample, i)});
            }
            for (Size i = 0; i < classes; ++i) {
                const double probability = std::exp(double{y(sample, i)}) / sum;
                dy.view()(sample, i) = static_cast<T>((probability - (i == label)) / batch);
            }
            loss += (std::log(sum) - double{y(sample, label)}) / batch;
        }
        return loss;
    }

    static LayerRecord<T> record(const Layer& layer, Placement at, const Activations<T>& x, const Activations<T>& dy) {
        return {pattern_from(*layer.topology()),
                layer.topology()->version(),
                batch,
                at,
                {layer.values().begin(), layer.values().end()},
                {layer.bias().begin(), layer.bias().end()},
                x,
                dy};
    }

    void rewire(Layer& layer, snack::Sgd<T>& sgd) {
        sgd.remap(ctx_, layer.rewire(ctx_, snack::MagnitudePruner{0.3}, snack::UniformGrower{}));
    }

    snack::HostContext ctx_{{.threads = 1}};
    Layer first_;
    Layer second_;
    snack::Sgd<T> first_sgd_;
    snack::Sgd<T> second_sgd_;
    std::uint32_t step_ = 0;
    double loss_ = 0;
};

}  // namespace tests::equivalence
