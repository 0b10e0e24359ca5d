// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The oracle: the formulas of the paper (sections 3.1 and 3.4) as plain serial loops with every
// sum in double and one rounding at the end. Slow, obvious, and what all other backends are
// tested against.

#include <span>
#include <utility>

#include <snack/core/matrix_view.hpp>
#include <snack/core/scalar.hpp>
#include <snack/memory/host_context.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

struct Reference {
    static constexpr const char* name = "Reference";
    static constexpr Determinism determinism = Determinism::run_to_run;
    using context_type = HostContext;

    template <Scalar T>
    struct plan {
        TopologyPtr topology;
        Size bytes() const { return 0; }
        std::uint64_t topology_version() const { return topology->version(); }
    };

    template <Scalar T>
    static plan<T> make_plan(HostContext&, const TopologyPtr& topology, PlanUse) {
        return {topology};
    }

    /// y(b, i) = bias[i] + sum_e value[e] x(b, column[e]) over the entries of row i
    template <Scalar T>
    static void forward(HostContext&, const plan<T>& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y) {
        const Size* offsets = plan.topology->row_offsets().data();
        const Index* columns = plan.topology->columns().data();
        for (Size sample = 0; sample < y.batch(); ++sample) {
            for (Size row = 0; row < y.features(); ++row) {
                double sum = bias.empty() ? 0.0 : double{bias.data()[row]};
                for (Size e = offsets[row]; e < offsets[row + 1]; ++e) {
                    sum += double{values.data()[e]} * double{x(sample, columns[e])};
                }
                y(sample, row) = static_cast<T>(sum);
            }
        }
    }

    /// dx(b, j) = sum_e value[e] dy(b, row[e]) over the entries of column j
    template <Scalar T>
    static void input_gradient(HostContext& ctx, const plan<T>& plan, std::span<const T> values, MatrixView<const T> dy,
                               MatrixView<T> dx) {
        double* sums = ctx.scratch<double>(0, dx.features()).data();
        for (Size sample = 0; sample < dx.batch(); ++sample) {
            for (Size column = 0; column < dx.features(); ++column) {
                sums[column] = 0;
            }
            for_each_entry(*plan.topology, [&](Size entry, Index row, Index column) {
                sums[column] += double{values.data()[entry]} * double{dy(sample, row)};
            });
            for (Size column = 0; column < dx.features(); ++column) {
                dx(sample, column) = static_cast<T>(sums[column]);
            }
        }
    }

    /// dw[e] = beta dw[e] + sum_b dy(b, row[e]) x(b, column[e])
    template <Scalar T>
    static void weight_gradient(HostContext&, const plan<T>& plan, MatrixView<const T> x, MatrixView<const T> dy,
                                std::span<T> dw, T beta) {
        for_each_entry(*plan.topology, [&](Size entry, Index row, Index column) {
            double sum = 0;
            for (Size sample = 0; sample < x.batch(); ++sample) {
                sum += double{dy(sample, row)} * double{x(sample, column)};
            }
            T& gradient = dw.data()[entry];
            gradient = static_cast<T>(beta == 0 ? sum : double{beta} * double{gradient} + sum);
        });
    }

    /// db[i] = beta db[i] + sum_b dy(b, i)
    template <Scalar T>
    static void bias_gradient(HostContext&, MatrixView<const T> dy, std::span<T> db, T beta) {
        for (Size row = 0; row < dy.features(); ++row) {
            double sum = 0;
            for (Size sample = 0; sample < dy.batch(); ++sample) {
                sum += double{dy(sample, row)};
            }
            T& gradient = db.data()[row];
            gradient = static_cast<T>(beta == 0 ? sum : double{beta} * double{gradient} + sum);
        }
    }
};

}  // namespace snack::inline v0
