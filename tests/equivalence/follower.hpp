// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A layer of any backend, on the host or on a device, that follows the reference's training step by step:
// each time it takes on the recorded state, and its results are held to the derived bounds.

#include <algorithm>
#include <optional>

#include <tests/conformance/products.hpp>
#include <tests/equivalence/reference_training.hpp>

namespace tests::equivalence {

/// Which results agree with the oracle.
struct Agreement {
    bool y;
    bool dx;
    bool dw;
    bool db;
};

/// One layer of a backend that takes on the state of a record: in place between rewires, and as a new
/// layer, through a CooMatrix, after one.
template <class B, class T>
class Follower {
public:
    Agreement compare(ContextFor<B>& ctx, const LayerRecord<T>& at, const ExactResults<T>& want) {
        follow(ctx, at);
        Activations<T> y(at.batch, at.pattern.out_features, at.placement);
        Activations<T> dx(at.batch, at.pattern.in_features, at.placement);

        layer_->forward(ctx, at.x.view(), y.view());
        layer_->backward(ctx, at.x.view(), at.dy.view(), dx.view());

        const auto& layer = std::as_const(*layer_);
        using conformance::all_agree;
        return {all_agree(Data::random, y, want.y, at.batch, at.pattern.out_features),
                all_agree(Data::random, dx, want.dx, at.batch, at.pattern.in_features),
                all_agree(Data::random, layer.gradients(), want.dw),
                all_agree(Data::random, layer.bias_gradients(), want.db)};
    }

private:
    void follow(ContextFor<B>& ctx, const LayerRecord<T>& at) {
        if (version_ != at.topology_version) {
            layer_.emplace(ctx, matrix_of(at.pattern, at.values), at.bias);
            version_ = at.topology_version;
            return;
        }
        std::copy(at.values.begin(), at.values.end(), layer_->values().begin());
        std::copy(at.bias.begin(), at.bias.end(), layer_->bias().begin());
        layer_->values_changed(ctx);
    }

    std::optional<Layer<B, T>> layer_;
    std::uint64_t version_ = 0;  // no topology has it
};

template <class B, class T>
void follow_training() {
    ContextFor<B> ctx({.threads = 2});
    ReferenceTraining<T> training;
    Follower<B, T> followers[2];
    for (int step = 0; step < training.steps; ++step) {
        const auto records = training.step();
        for (std::size_t layer = 0; layer < records.size(); ++layer) {
            const ExactResults<T> want(records[layer]);
            const Agreement agreement = followers[layer].compare(ctx, records[layer], want);
            CAPTURE(B::name, snack::ScalarTraits<T>::name, step, layer);
            CHECK(agreement.y);
            CHECK(agreement.dx);
            CHECK(agreement.dw);
            CHECK(agreement.db);
        }
    }
}

}  // namespace tests::equivalence
