// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The right answers of one batch, all of them, summed in double on the device by loops that share no code
// with any backend, and the bounds of tests/support/tolerance.hpp. A row that misses them is not timed.

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <bench/gpu/problem.cuh>

namespace bench::gpu {

/// One exact result and what it was summed from: a product of two floats is exact in double.
struct ExactSum {
    double value;
    double magnitude;
    double terms;

    SNACK_HOST_DEVICE void add(double term) {
        value += term;
        magnitude += term < 0 ? -term : term;
        terms += 1;
    }

    /// Whether `got` may be a float sum of zero-mean terms in any order, whose factors were each rounded
    /// with a relative error of `operand_roundoff` before. NaN may not.
    SNACK_HOST_DEVICE bool allows(float got, double operand_roundoff) const {
        constexpr double u = 0x1p-24;
        const double strict = (terms + 1) * u / (1 - (terms + 1) * u);
        const double sum_error = strict < 16 * u ? strict : 16 * u;
        const double bound =
            (sum_error + (2 + operand_roundoff) * operand_roundoff) * magnitude + (terms + 1) * 0x1p-149;
        return std::fabs(static_cast<double>(got) - value) <= bound;
    }
};

using snack::kernels::gpu::Activations;

/// sums[sample * features + row], an element a thread.
struct SumOfRow {
    const Size* row_offsets;
    const snack::Index* columns;
    const float* values;
    Size out_features;
    Activations<const float> x;
    ExactSum* sums;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const Size row = i % out_features;
        ExactSum sum{};
        for (Size e = row_offsets[row]; e < row_offsets[row + 1]; ++e) {
            sum.add(static_cast<double>(values[e]) * static_cast<double>(x(i / out_features, columns[e])));
        }
        sums[i] = sum;
    }
};

/// Adds the terms of an entry to sums[sample * in_features + column]: by atomics, whose order changes the last
/// bits of a double and nothing that a float would show.
struct AddTermsOfEntry {
    const snack::Index* rows;
    const snack::Index* columns;
    const float* values;
    Size in_features;
    Size batch;
    Activations<const float> dy;
    ExactSum* sums;

    __device__ void operator()(Size e) const {
        for (Size sample = 0; sample < batch; ++sample) {
            const double term = static_cast<double>(values[e]) * static_cast<double>(dy(sample, rows[e]));
            ExactSum& sum = sums[sample * in_features + columns[e]];
            atomicAdd(&sum.value, term);
            atomicAdd(&sum.magnitude, std::fabs(term));
            atomicAdd(&sum.terms, 1.0);
        }
    }
};

/// sums[e]: the gradient of an entry, or its value after one step of gradient descent from no momentum.
struct SumOfEntry {
    const snack::Index* rows;
    const snack::Index* columns;
    const float* values;  // null for the gradient
    Size batch;
    Activations<const float> x;
    Activations<const float> dy;
    ExactSum* sums;

    SNACK_HOST_DEVICE void operator()(Size e) const {
        ExactSum sum{};
        const double scale = values == nullptr ? 1 : -static_cast<double>(learning_rate);
        if (values != nullptr) {
            sum.add(static_cast<double>(values[e]));
        }
        for (Size sample = 0; sample < batch; ++sample) {
            sum.add(scale * static_cast<double>(dy(sample, rows[e])) * static_cast<double>(x(sample, columns[e])));
        }
        sums[e] = sum;
    }
};

/// Counts elements of a matrix that are not within their bounds; sample * features + feature is element i.
struct CountWrong {
    const ExactSum* sums;
    Activations<const float> got;
    Size features;
    double operand_roundoff;
    unsigned long long* count;

    __device__ void operator()(Size i) const {
        if (!sums[i].allows(got(i / features, i % features), operand_roundoff)) {
            atomicAdd(count, 1ULL);
        }
    }
};

class Oracle {
public:
    /// What `operation` must give for these operands, whatever their layout.
    Oracle(CudaContext& ctx, const Problem& problem, Operation operation, const Operands& operands)
        : batch_(operands.batch()) {
        const snack::CudaTopology& at = *problem.topology;
        const Size nnz = problem.nnz();
        const Activations<const float> x(operands.x());
        const Activations<const float> dy(operands.dy());
        if (operation == Operation::forward || operation == Operation::training_step) {
            y_ = ctx.allocate<ExactSum>(batch_ * problem.out_features);
            ctx.for_each_index(y_.size(), SumOfRow{at.row_offsets().data(), at.columns().data(), problem.values.data(),
                                                   problem.out_features, x, y_.data()});
        }
        if (operation != Operation::forward && operation != Operation::weight_gradient) {
            dx_ = ctx.allocate<ExactSum>(batch_ * problem.in_features);
            ctx.fill(dx_.span(), ExactSum{});
            ctx.for_each_index(nnz, AddTermsOfEntry{problem.rows.data(), at.columns().data(), problem.values.data(),
                                                    problem.in_features, batch_, dy, dx_.data()});
        }
        if (operation != Operation::forward && operation != Operation::input_gradient) {
            entries_ = ctx.allocate<ExactSum>(nnz);
            const bool steps = operation == Operation::training_step;
            ctx.for_each_index(
                nnz, SumOfEntry{problem.rows.data(), at.columns().data(), steps ? problem.values.data() : nullptr,
                                batch_, x, dy, entries_.data()});
        }
    }

    /// What is wrong with the results, or nothing. `entries` holds gradients, or values after a step, by entry.
    /// Waits for the stream.
    std::string fault(CudaContext& ctx, Operands& operands, DeviceSpan<const float> entries,
                      double operand_roundoff) const {
        std::string text = fault_in(ctx, "y", y_, ConstView(operands.y()), operand_roundoff);
        text += fault_in(ctx, "dx", dx_, ConstView(operands.dx()), operand_roundoff);
        if (entries_.size() > 0) {
            const ConstView row(entries.data(), 1, static_cast<Size>(entries.size()));
            text += fault_in(ctx, "the entries", entries_, row, operand_roundoff);
        }
        return text;
    }

    bool needs_entries() const { return entries_.size() > 0; }

private:
    static std::string fault_in(CudaContext& ctx, const char* what, const DeviceBuffer<ExactSum>& sums,
                                const ConstView& got, double operand_roundoff) {
        if (sums.size() == 0) {
            return {};
        }
        auto count = ctx.allocate<unsigned long long>(1);
        ctx.fill(count.span(), 0ULL);
        ctx.for_each_index(sums.size(), CountWrong{sums.data(), Activations<const float>(got), got.features(),
                                                   operand_roundoff, count.data()});
        unsigned long long wrong = 0;
        ctx.copy_to_host(std::as_const(count).span(), std::span<unsigned long long>(&wrong, 1));
        return wrong == 0 ? std::string()
                          : "wrong: " + std::to_string(wrong) + " of " + std::to_string(sums.size()) + " elements of " +
                                what + ". ";
    }

    Size batch_;
    DeviceBuffer<ExactSum> y_;
    DeviceBuffer<ExactSum> dx_;
    DeviceBuffer<ExactSum> entries_;
};

}  // namespace bench::gpu
