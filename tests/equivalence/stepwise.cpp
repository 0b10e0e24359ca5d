// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every backend can take the place of another in training (paper, section 4.3). At each step of a run
// that the reference trains and rewires, each backend starts from the reference's state, and its
// results are held to the derived bounds; the same bounds catch a planted error at every step.

#include <tuple>

#include <snack/backends/dense.hpp>
#include <snack/backends/dense_mask.hpp>
#include <snack/backends/host.hpp>
#include <tests/equivalence/follower.hpp>

using namespace tests;
using namespace tests::equivalence;

namespace {

/// The backends that are tried: a new one is a type more.
using Backends = std::tuple<snack::Reference, snack::Host, snack::Dense, snack::DenseMask>;

/// An entry that a sum leans on: the one with the largest share |w x| of the magnitude of a y.
struct Weight {
    std::size_t entry = 0;
    long double share = 0;
    long double magnitude = 0;  ///< of the sum for that sample
    long double x = 0;
};

template <class T>
Weight heaviest(const LayerRecord<T>& at, const ExactResults<T>& want) {
    Weight best;
    for (std::size_t e = 0; e < at.values.size(); ++e) {
        for (Size sample = 0; sample < at.batch; ++sample) {
            const long double x = at.x(sample, at.pattern.column(e));
            const auto sum = static_cast<std::size_t>(sample * at.pattern.out_features + at.pattern.row(e));
            const long double share = std::fabs(at.values[e] * x) / want.y[sum].magnitude;
            best = share > best.share ? Weight{e, share, want.y[sum].magnitude, x} : best;
        }
    }
    return best;
}

/// The record without the dy of largest effect |dy x| on a weight gradient.
template <class T>
LayerRecord<T> without_largest_dy(LayerRecord<T> at) {
    T largest = 0;
    T* found = nullptr;
    for (std::size_t e = 0; e < at.values.size(); ++e) {
        for (Size sample = 0; sample < at.batch; ++sample) {
            T& dy = at.dy.view()(sample, at.pattern.row(e));
            const T effect = std::fabs(dy * at.x(sample, at.pattern.column(e)));
            if (effect > largest) {
                largest = effect;
                found = &dy;
            }
        }
    }
    *found = 0;
    return at;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("each backend agrees with the oracle at every step of training", "[equivalence][threads]",
                        Backends) {
    follow_training<TestType, float>();
    follow_training<TestType, double>();
}

TEMPLATE_TEST_CASE("a planted error is noticed at every step of training", "[equivalence]", float, double) {
    using T = TestType;
    snack::HostContext ctx({.threads = 1});
    ReferenceTraining<T> training;
    Follower<snack::Host, T> followers[2];
    for (int step = 0; step < training.steps; ++step) {
        const auto records = training.step();
        for (std::size_t layer = 0; layer < records.size(); ++layer) {
            const ExactResults<T> want(records[layer]);
            const Weight weight = heaviest(records[layer], want);
            LayerRecord<T> dropped = records[layer];
            dropped.values[weight.entry] = 0;
            // Moves that sum by 64 u S, and the backend's own error cannot bring it back to 16 u S.
            LayerRecord<T> nudged = records[layer];
            const long double change = 64 * snack::ScalarTraits<T>::unit_roundoff * weight.magnitude / weight.x;
            nudged.values[weight.entry] += static_cast<T>(change);
            CAPTURE(step, layer);

            CHECK_FALSE(followers[layer].compare(ctx, dropped, want).y);
            CHECK_FALSE(followers[layer].compare(ctx, nudged, want).y);
            const Agreement lacking = followers[layer].compare(ctx, without_largest_dy(records[layer]), want);
            CHECK_FALSE((lacking.dx || lacking.dw || lacking.db));
            CHECK(lacking.y);
        }
    }
}

TEST_CASE("the training that backends are compared on is one", "[equivalence]") {
    ReferenceTraining<float> training;
    double early = 0;
    double late = 0;
    std::uint64_t version = 0;
    int topologies = 0;
    for (int step = 0; step < training.steps; ++step) {
        const auto records = training.step();
        early += step < 20 ? training.loss() : 0;
        late += step >= training.steps - 20 ? training.loss() : 0;
        topologies += records[0].topology_version != version;
        version = records[0].topology_version;
    }

    CHECK(late < early / 2);
    CHECK(topologies == 4);
}
