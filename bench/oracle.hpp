// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The right answers of one operation, summed in long double by loops that share no code with any
// backend, and the bounds of tests/support/tolerance.hpp. A row that misses them is not timed.
// Where all answers would take too long, evenly spaced samples (for activations: whole samples of
// the batch, the first among them; for gradients: entries) are checked.

#include <algorithm>
#include <string>
#include <vector>

#include <bench/problem.hpp>
#include <tests/support/tolerance.hpp>

namespace bench {

class Oracle {
public:
    Oracle(const Problem& problem, Operation operation, const Operands& operands)
        : problem_(&problem), operation_(operation) {
        const Size nnz = problem.topology->nnz();
        const Size batch = operands.batch();
        step_ = std::max<Size>(1, (nnz * batch + most_products - 1) / most_products);
        sample_step_ = std::min(step_, batch);
        const snack::Topology& topology = *problem.topology;
        for (Size sample = 0; sample < batch; sample += sample_step_) {
            if (operation == Operation::forward || operation == Operation::training_step) {
                y_.push_back(products(topology.out_features(), [&](Size entry, Index row, Index column) {
                    return Term{row, product(value(entry), operands.x()(sample, column))};
                }));
            }
            if (operation != Operation::forward && operation != Operation::weight_gradient) {
                dx_.push_back(products(topology.in_features(), [&](Size entry, Index row, Index column) {
                    return Term{column, product(value(entry), operands.dy()(sample, row))};
                }));
            }
        }
        if (operation == Operation::forward || operation == Operation::input_gradient) {
            return;
        }
        const bool steps = operation == Operation::training_step;
        const auto scale = steps ? -static_cast<long double>(learning_rate) : 1;
        snack::for_each_entry(topology, [&](Size entry, Index row, Index column) {
            if (entry % step_ == 0) {
                tests::ExactSum sum;
                if (steps) {
                    sum.add(value(entry));
                }
                for (Size sample = 0; sample < batch; ++sample) {
                    sum.add(scale * product(operands.dy()(sample, row), operands.x()(sample, column)));
                }
                entries_.push_back(sum);
            }
        });
    }

    /// What is wrong with what the adapter computed, or nothing.
    template <class Adapter>
    std::string fault(const Adapter& adapter, Operands& operands) const {
        std::string text = fault_in("y", y_, operands.y());
        text += fault_in("dx", dx_, operands.dx());
        std::size_t at = 0;
        Size wrong = 0;
        snack::for_each_entry(*problem_->topology, [&](Size entry, Index row, Index column) {
            if (entry % step_ == 0 && at < entries_.size()) {
                const float got = operation_ == Operation::training_step ? adapter.value(entry, row, column)
                                                                         : adapter.gradient(entry, row, column);
                wrong += !tests::within_random_bound(got, entries_[at++]);
            }
        });
        return wrong == 0 ? text : text + "wrong: " + std::to_string(wrong) + " of the entries. ";
    }

private:
    static constexpr Size most_products = 10'000'000;

    struct Term {
        Index to;
        long double product;
    };

    static long double product(float a, float b) { return static_cast<long double>(a) * static_cast<long double>(b); }
    float value(Size entry) const { return problem_->values[static_cast<std::size_t>(entry)]; }

    template <class TermOf>
    std::vector<tests::ExactSum> products(Size features, const TermOf& term_of) const {
        std::vector<tests::ExactSum> sums(static_cast<std::size_t>(features));
        snack::for_each_entry(*problem_->topology, [&](Size entry, Index row, Index column) {
            const Term term = term_of(entry, row, column);
            sums[static_cast<std::size_t>(term.to)].add(term.product);
        });
        return sums;
    }

    std::string fault_in(const char* what, const std::vector<std::vector<tests::ExactSum>>& exact,
                         snack::MatrixView<float> got) const {
        Size wrong = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            for (Size feature = 0; feature < got.features(); ++feature) {
                wrong += !tests::within_random_bound(got(static_cast<Size>(i) * sample_step_, feature),
                                                     exact[i][static_cast<std::size_t>(feature)]);
            }
        }
        return wrong == 0 ? "" : "wrong: " + std::to_string(wrong) + " elements of " + what + ". ";
    }

    const Problem* problem_;
    Operation operation_;
    Size step_;
    Size sample_step_;
    std::vector<std::vector<tests::ExactSum>> y_;
    std::vector<std::vector<tests::ExactSum>> dx_;
    std::vector<tests::ExactSum> entries_;
};

}  // namespace bench
