// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A backend whose plan holds a copy of the values, as some formats need: the suite passes only if
// the layer renews the copy whenever values change, and gives every layer its own.

#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <tests/conformance/suite.hpp>

namespace {

struct CopyingBackend : snack::Reference {
    static constexpr const char* name = "CopyingBackend";

    template <snack::Scalar T>
    struct plan : snack::Reference::plan<T> {
        std::vector<T> copy;
    };

    template <snack::Scalar T>
    static plan<T> make_plan(snack::HostContext&, const snack::TopologyPtr& topology, snack::PlanUse) {
        return {{topology}, std::vector<T>(static_cast<std::size_t>(topology->nnz()), T{-99})};
    }

    template <snack::Scalar T>
    static void refresh(snack::HostContext&, plan<T>& plan, std::span<const T> values) {
        plan.copy.assign(values.begin(), values.end());
    }

    template <snack::Scalar T>
    static void forward(snack::HostContext& ctx, const plan<T>& plan, std::span<const T>, std::span<const T> bias,
                        snack::MatrixView<const T> x, snack::MatrixView<T> y) {
        snack::Reference::forward<T>(ctx, plan, plan.copy, bias, x, y);
    }

    template <snack::Scalar T>
    static void input_gradient(snack::HostContext& ctx, const plan<T>& plan, std::span<const T>,
                               snack::MatrixView<const T> dy, snack::MatrixView<T> dx) {
        snack::Reference::input_gradient<T>(ctx, plan, plan.copy, dy, dx);
    }
};

static_assert(snack::CopiesValues<CopyingBackend, float>);
static_assert(!snack::CopiesValues<snack::Reference, float>);
static_assert(!snack::FusesBackward<CopyingBackend, float>);

}  // namespace

SNACK_CONFORMANCE(CopyingBackend);

TEMPLATE_TEST_CASE("optimisers and rewires renew the values a plan copies", "", float, double) {
    using T = TestType;
    snack::HostContext ctx;
    snack::SparseLinear<CopyingBackend, T> layer(ctx, {.in_features = 9, .out_features = 7, .sparsity = 0.5});
    snack::Sgd sgd(ctx, layer, {.learning_rate = 1});
    snack::Adam adam(ctx, layer);
    const auto copy_is_current = [&] {
        return std::equal(layer.values().begin(), layer.values().end(), layer.plan().copy.begin(),
                          layer.plan().copy.end());
    };
    std::fill(layer.gradients().begin(), layer.gradients().end(), T{1});

    REQUIRE(copy_is_current());
    sgd.step(ctx, layer);
    REQUIRE(copy_is_current());
    adam.step(ctx, layer);
    REQUIRE(copy_is_current());
    layer.rewire(ctx, snack::MagnitudePruner{0.5}, snack::UniformGrower{});
    REQUIRE(copy_is_current());
}
