// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Conformance, part one: the products themselves. Forward and all gradients of a backend against
// exact sums, over the battery of matrices, batches and placements: bit for bit on integers, and
// within the derived bounds on random numbers.

#include <sstream>
#include <string>

#include <tests/support/catch.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/problem.hpp>

namespace tests::conformance {

/// Calls test(ctx, problem, placement) for every pattern, batch and placement. On a GPU, where a problem
/// costs a hundred calls of the driver, placements take turns.
template <class B, class T, class Test>
void for_each_problem(Data data, Test test) {
    ContextFor<B> ctx({.threads = 2});
    const Effort effort = effort_for(is_emulated<B>);
    constexpr bool in_turns = !std::is_same_v<snack::SpaceOf<B>, snack::HostSpace>;
    const std::vector<Placement> placements = placement_battery(effort);
    std::size_t turn = 0;
    for (const Pattern& pattern : pattern_battery(effort)) {
        for (const Size batch : batch_battery(pattern, effort)) {
            for (std::size_t i = 0; i < (in_turns ? 1 : placements.size()); ++i) {
                const Placement placement = placements[turn++ % placements.size()];
                INFO(pattern.name << ", batch " << batch << ", "
                                  << (placement.layout == Layout::row_major ? "row" : "column") << "-major, padding "
                                  << placement.padding << ", shift " << placement.shift);
                Problem<B, T> problem(ctx, pattern, batch, placement, data);
                test(ctx, problem, placement);
            }
        }
    }
}

/// Whether a result is what the data allows: exact for integers, within the bound otherwise.
template <class T>
bool agrees(Data data, T got, const ExactSum& want) {
    return data == Data::integers ? static_cast<long double>(got) == want.value : within_random_bound(got, want);
}

/// Counts what disagrees, and tells the first of it in the report of a failing test.
template <class T>
class Comparison {
public:
    explicit Comparison(Data data) : data_(data) {}
    ~Comparison() {
        if (wrong_ > 0) {
            UNSCOPED_INFO(first_ << "; " << wrong_ << " of " << total_ << " wrong");
        }
    }

    void compare(T got, const ExactSum& want, Size index) {
        ++total_;
        if (!agrees(data_, got, want) && ++wrong_ == 1) {
            std::ostringstream text;
            text << "element " << index << " is " << got << ", wanted " << want.value;
            first_ = text.str();
        }
    }
    bool good() const { return wrong_ == 0; }

private:
    Data data_;
    Size total_ = 0;
    Size wrong_ = 0;
    std::string first_;
};

/// Whether got(sample, feature) agrees everywhere with want[sample * features + feature].
template <class T>
bool all_agree(Data data, const Activations<T>& got, const std::vector<ExactSum>& want, Size batch, Size features) {
    Comparison<T> comparison(data);
    for (Size i = 0; i < batch * features; ++i) {
        comparison.compare(got(i / features, i % features), want[static_cast<std::size_t>(i)], i);
    }
    return comparison.good() && got.surroundings_intact();
}

template <class T>
bool all_agree(Data data, std::span<const T> got, const std::vector<ExactSum>& want) {
    Comparison<T> comparison(data);
    for (std::size_t i = 0; i < want.size() && i < got.size(); ++i) {
        comparison.compare(got[i], want[i], static_cast<Size>(i));
    }
    return comparison.good() && got.size() == want.size();
}

template <class B, class T>
void forward_is_right(Data data) {
    for_each_problem<B, T>(data, [data](auto& ctx, auto& problem, Placement placement) {
        Activations<T> y(problem.batch, problem.pattern.out_features, placement);

        problem.layer.forward(ctx, problem.x.view(), y.view());

        const auto want = exact_forward(problem.pattern, problem.values, problem.bias, problem.x, problem.batch);
        REQUIRE(all_agree(data, y, want, problem.batch, problem.pattern.out_features));
    });
}

/// The activation applies to the whole sum with its bias, and lets NaN pass.
template <class B, class T>
void relu_is_applied_to_the_sum() {
    for_each_problem<B, T>(Data::integers, [](auto& ctx, auto& problem, Placement placement) {
        const Size out = problem.pattern.out_features;
        Activations<T> y(problem.batch, out, placement);
        Activations<T> rectified(problem.batch, out, placement);
        problem.layer.forward(ctx, problem.x.view(), y.view());

        problem.layer.forward(ctx, problem.x.view(), rectified.view(), snack::Activation::relu);

        bool good = rectified.surroundings_intact();
        for (Size i = 0; i < problem.batch * out; ++i) {
            const T sum = y(i / out, i % out);
            good = good && rectified(i / out, i % out) == (sum < 0 ? T{0} : sum);
        }
        REQUIRE(good);
    });
    ContextFor<B> ctx;
    for (const Size batch : {1, 9}) {
        Problem<B, T> problem(ctx, pattern_of("full", 2, 2, [](Size, Size) { return true; }), batch, {},
                              Data::integers);
        Activations<T> y(batch, 2, {});
        problem.x.view()(0, 0) = std::numeric_limits<T>::quiet_NaN();

        problem.layer.forward(ctx, problem.x.view(), y.view(), snack::Activation::relu);

        CHECK(y(0, 0) != y(0, 0));
    }
}

template <class B, class T>
void backward_is_right(Data data) {
    for_each_problem<B, T>(data, [data](auto& ctx, auto& problem, Placement placement) {
        Activations<T> dx(problem.batch, problem.pattern.in_features, placement);
        for (auto array : {problem.layer.gradients(), problem.layer.bias_gradients()}) {
            std::fill(array.begin(), array.end(), std::numeric_limits<T>::quiet_NaN());
        }

        problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), dx.view());

        const auto& layer = std::as_const(problem.layer);
        const auto want_dx = exact_input_gradient(problem.pattern, problem.values, problem.dy, problem.batch);
        const auto want_dw = exact_weight_gradient(problem.pattern, problem.x, problem.dy, problem.batch);
        const auto want_db = exact_bias_gradient(problem.dy, problem.batch, problem.pattern.out_features);
        REQUIRE(all_agree(data, dx, want_dx, problem.batch, problem.pattern.in_features));
        REQUIRE(all_agree(data, layer.gradients(), want_dw));
        REQUIRE(all_agree(data, layer.bias_gradients(), want_db));
    });
}

/// A first layer asks for no input gradient, and gradients add up over calls when told to.
template <class B, class T>
void gradients_accumulate(Data data) {
    for_each_problem<B, T>(data, [data](auto& ctx, auto& problem, Placement placement) {
        Activations<T> dx(problem.batch, problem.pattern.in_features, placement);
        const auto dw_start = numbers<T>(data, 7, problem.pattern.nnz());
        const auto db_start = numbers<T>(data, 8, problem.pattern.out_features);
        const auto start = [&] {
            std::copy(dw_start.begin(), dw_start.end(), problem.layer.gradients().begin());
            std::copy(db_start.begin(), db_start.end(), problem.layer.bias_gradients().begin());
        };
        const auto want_dw = exact_weight_gradient(problem.pattern, problem.x, problem.dy, problem.batch, dw_start);
        const auto want_db = exact_bias_gradient(problem.dy, problem.batch, problem.pattern.out_features, db_start);
        const auto& layer = std::as_const(problem.layer);

        start();
        problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), snack::GradientMode::accumulate);

        REQUIRE(all_agree(data, layer.gradients(), want_dw));
        REQUIRE(all_agree(data, layer.bias_gradients(), want_db));

        start();
        problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), dx.view(), snack::GradientMode::accumulate);

        REQUIRE(all_agree(data, layer.gradients(), want_dw));
        REQUIRE(all_agree(data, layer.bias_gradients(), want_db));
        const auto want_dx = exact_input_gradient(problem.pattern, problem.values, problem.dy, problem.batch);
        REQUIRE(all_agree(data, dx, want_dx, problem.batch, problem.pattern.in_features));
    });
}

/// Shapes at which a backend cuts its work into panels, blocks and chunks of the batch; sums of
/// integers, so the answers are exact.
template <class B, class T>
void large_shapes_are_exact() {
    // Every cell costs a dense baseline time, and every thread of a kernel the host launcher.
    constexpr Size out = is_emulated<B> ? 70 : 400;
    constexpr Size in = is_emulated<B> ? 90 : snack::FormsDense<B> ? 1000 : 9000;
    ContextFor<B> ctx({.threads = 2});
    const Pattern pattern = random_pattern("large", out, in, 30 * in);
    for (const auto& [batch, layout] : {std::pair{33, Layout::row_major}, std::pair{131, Layout::column_major}}) {
        Problem<B, T> problem(ctx, pattern, batch, {layout, 1, 1}, Data::integers, false);
        Activations<T> y(batch, out, {layout, 1, 1});
        Activations<T> dx(batch, in, {layout, 1, 1});

        const bool rectified = layout == Layout::row_major;
        problem.layer.forward(ctx, problem.x.view(), y.view(),
                              rectified ? snack::Activation::relu : snack::Activation::none);
        problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), dx.view());

        Activations<T> want_y(batch, out, {layout}, T{0});
        Activations<T> want_dx(batch, in, {layout}, T{0});
        Size wrong = 0;
        for (std::size_t e = 0; e < pattern.cells.size(); ++e) {
            const Size row = pattern.row(e);
            const Size column = pattern.column(e);
            T gradient = 0;
            for (Size b = 0; b < batch; ++b) {
                want_y.view()(b, row) += problem.values[e] * problem.x(b, column);
                want_dx.view()(b, column) += problem.values[e] * problem.dy(b, row);
                gradient += problem.dy(b, row) * problem.x(b, column);
            }
            wrong += problem.layer.gradients()[e] != gradient;
        }
        for (Size i = 0; rectified && i < batch * out; ++i) {
            T& sum = want_y.view()(i / out, i % out);
            sum = sum < 0 ? T{0} : sum;
        }
        REQUIRE(wrong == 0);
        REQUIRE(y.same_bits(want_y));
        REQUIRE(dx.same_bits(want_dx));
    }
}

/// The separate input gradient, which a fused backward pass may leave unused.
template <class B, class T>
void input_gradient_alone_is_right(Data data) {
    for_each_problem<B, T>(data, [data](auto& ctx, auto& problem, Placement placement) {
        Activations<T> dx(problem.batch, problem.pattern.in_features, placement);

        input_gradient_of<B, T>(ctx, problem.layer, std::as_const(problem.dy).view(), dx.view());

        const auto want = exact_input_gradient(problem.pattern, problem.values, problem.dy, problem.batch);
        REQUIRE(all_agree(data, dx, want, problem.batch, problem.pattern.in_features));
    });
}

/// <W x, y> = <x, W' y>, exactly on integers.
template <class B, class T>
void forward_and_input_gradient_are_adjoint() {
    ContextFor<B> ctx;
    for (const Pattern& pattern : pattern_battery(effort_for(is_emulated<B>))) {
        Problem<B, T> problem(ctx, pattern, 1, {}, Data::integers, false);
        Activations<T> wx(1, pattern.out_features, {});
        Activations<T> wty(1, pattern.in_features, {});

        problem.layer.forward(ctx, problem.x.view(), wx.view());
        problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), wty.view());

        T left = 0;
        T right = 0;
        for (Size row = 0; row < pattern.out_features; ++row) {
            left += wx(0, row) * problem.dy(0, row);
        }
        for (Size column = 0; column < pattern.in_features; ++column) {
            right += problem.x(0, column) * wty(0, column);
        }
        CAPTURE(pattern.name);
        REQUIRE(left == right);
    }
}

/// The layer is linear in each argument, so central differences of L = <dy, y> with step 1 on
/// integers equal the gradients exactly, on a matrix that is not square.
template <class B, class T>
void gradients_equal_finite_differences() {
    ContextFor<B> ctx;
    const Pattern pattern = random_pattern("small", 5, 8, 17);
    const Size batch = 3;
    Problem<B, T> problem(ctx, pattern, batch, {}, Data::integers);
    Activations<T> y(batch, pattern.out_features, {});
    Activations<T> dx(batch, pattern.in_features, {});
    const auto loss = [&] {
        problem.layer.forward(ctx, problem.x.view(), y.view());
        T sum = 0;
        for (Size i = 0; i < batch * pattern.out_features; ++i) {
            sum += y(i / pattern.out_features, i % pattern.out_features) *
                   problem.dy(i / pattern.out_features, i % pattern.out_features);
        }
        return sum;
    };
    const auto difference = [&](T& parameter) {
        parameter += 1;
        problem.layer.values_changed(ctx);
        const T above = loss();
        parameter -= 2;
        problem.layer.values_changed(ctx);
        const T below = loss();
        parameter += 1;
        problem.layer.values_changed(ctx);
        return (above - below) / 2;
    };

    problem.layer.backward(ctx, problem.x.view(), problem.dy.view(), dx.view());

    for (Size e = 0; e < pattern.nnz(); ++e) {
        REQUIRE(problem.layer.gradients().data()[e] == difference(problem.layer.values().data()[e]));
    }
    for (Size row = 0; row < pattern.out_features; ++row) {
        REQUIRE(problem.layer.bias_gradients().data()[row] == difference(problem.layer.bias().data()[row]));
    }
    for (Size i = 0; i < batch * pattern.in_features; ++i) {
        const Size sample = i / pattern.in_features;
        const Size column = i % pattern.in_features;
        REQUIRE(dx(sample, column) == difference(problem.x.view()(sample, column)));
    }
}

}  // namespace tests::conformance
