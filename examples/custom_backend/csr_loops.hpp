// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A backend to copy and make one's own: plain loops over compressed rows (CSR), on the context's threads.
// Each task owns the outputs it writes and sums them in a fixed order, so results are the same bits at any
// number of threads. tests/examples/custom_backend.cpp, one line, runs the conformance suite on it.

#include <span>
#include <type_traits>

#include <snack/concepts/backend.hpp>
#include <snack/memory/host_context.hpp>

namespace csr_loops {

using snack::HostContext;
using snack::Index;
using snack::MatrixView;
using snack::Size;

/// What is worked out once per topology. Offsets and columns of the rows are in the topology itself; the
/// weight gradient is shared out by entries, and so needs the row of each.
struct Plan {
    snack::TopologyPtr topology;
    snack::Buffer<Index> rows;  ///< nnz; none in a plan for inference

    Size bytes() const { return rows.bytes(); }
    std::uint64_t topology_version() const { return topology->version(); }
};

/// The features of one sample, in either layout.
template <class T>
class Sample {
public:
    Sample(const MatrixView<T>& view, Size sample)
        : data_(view.data()), first_(view.offset(sample, 0)), step_(view.feature_stride()) {}

    T& operator[](Size feature) const { return data_[first_ + feature * step_]; }

private:
    T* data_;
    Size first_;
    Size step_;
};

/// How many items make a task that is worth a thread, if one item takes so many multiply-adds.
inline Size items_per_task(Size multiply_adds) {
    return 1 + (1 << 15) / (multiply_adds + 1);
}

/// O(nnz batch) work and no scratch space. Row-major views suit it best.
struct Backend {
    static constexpr const char* name = "csr_loops";
    static constexpr snack::Determinism determinism = snack::Determinism::run_to_run;
    using context_type = HostContext;
    template <snack::Scalar T>
    using plan = Plan;

    template <snack::Scalar T>
    static Plan make_plan(HostContext& ctx, const snack::TopologyPtr& topology, snack::PlanUse use) {
        static_assert(std::is_same_v<snack::Accumulator<T>, T>, "the sums below are kept in T");
        const bool training = use == snack::PlanUse::training;
        return {topology, training ? topology->rows(ctx.allocator()) : snack::Buffer<Index>()};
    }

    /// y(b, i) = bias[i] + sum_e value[e] x(b, column[e]) over the entries of row i. A task owns rows.
    template <snack::Scalar T>
    static void forward(HostContext& ctx, const Plan& plan, std::span<const T> values, std::span<const T> bias,
                        MatrixView<const T> x, MatrixView<T> y) {
        const Size* offsets = plan.topology->row_offsets().data();
        const Index* columns = plan.topology->columns().data();
        const Size row_entries = plan.topology->nnz() / (y.features() + 1) + 1;
        ctx.parallel_ranges(y.features(), items_per_task(row_entries * y.batch()), [&](Size begin, Size end) {
            for (Size sample = 0; sample < y.batch(); ++sample) {
                const Sample from(x, sample);
                const Sample to(y, sample);
                for (Size row = begin; row < end; ++row) {
                    T sum = bias.empty() ? T{0} : bias.data()[row];
                    for (Size e = offsets[row]; e < offsets[row + 1]; ++e) {
                        sum += values.data()[e] * from[columns[e]];
                    }
                    to[row] = sum;
                }
            }
        });
    }

    /// dx(b, j) = sum_e value[e] dy(b, row[e]) over the entries of column j. The entries of a column lie
    /// apart, so a task owns samples instead, and a batch of one runs on one thread.
    template <snack::Scalar T>
    static void input_gradient(HostContext& ctx, const Plan& plan, std::span<const T> values, MatrixView<const T> dy,
                               MatrixView<T> dx) {
        const Size sample_work = plan.topology->nnz() + dx.features();
        ctx.parallel_ranges(dx.batch(), items_per_task(sample_work), [&](Size begin, Size end) {
            for (Size sample = begin; sample < end; ++sample) {
                const Sample from(dy, sample);
                const Sample to(dx, sample);
                for (Size column = 0; column < dx.features(); ++column) {
                    to[column] = 0;
                }
                snack::for_each_entry(*plan.topology, [&](Size entry, Index row, Index column) {
                    to[column] += values.data()[entry] * from[row];
                });
            }
        });
    }

    /// dw[e] = beta dw[e] + sum_b dy(b, row[e]) x(b, column[e]). A task owns entries, few enough to stay
    /// in the first-level cache while the samples pass.
    /// @throws UnsupportedError for a plan made for inference
    template <snack::Scalar T>
    static void weight_gradient(HostContext& ctx, const Plan& plan, MatrixView<const T> x, MatrixView<const T> dy,
                                std::span<T> dw, T beta) {
        const Size nnz = plan.topology->nnz();
        snack::require<snack::UnsupportedError>(plan.rows.size() == nnz, "csr_loops::Backend::weight_gradient",
                                                "the plan was made for inference only");
        const Index* columns = plan.topology->columns().data();
        const Index* rows = plan.rows.data();
        T* gradients = dw.data();
        ctx.parallel_ranges(nnz, items_per_task(x.batch()), [&](Size begin, Size end) {
            for (Size e = begin; e < end; ++e) {
                gradients[e] = beta == 0 ? T{0} : beta * gradients[e];  // beta 0 forgets a NaN too
            }
            for (Size sample = 0; sample < x.batch(); ++sample) {
                const Sample left(dy, sample);
                const Sample right(x, sample);
                for (Size e = begin; e < end; ++e) {
                    gradients[e] += left[rows[e]] * right[columns[e]];
                }
            }
        });
    }

    /// db[i] = beta db[i] + sum_b dy(b, i). A task owns rows.
    template <snack::Scalar T>
    static void bias_gradient(HostContext& ctx, MatrixView<const T> dy, std::span<T> db, T beta) {
        ctx.parallel_ranges(dy.features(), items_per_task(dy.batch()), [&](Size begin, Size end) {
            for (Size row = begin; row < end; ++row) {
                T& gradient = db.data()[row];
                gradient = beta == 0 ? T{0} : beta * gradient;
                for (Size sample = 0; sample < dy.batch(); ++sample) {
                    gradient += dy(sample, row);
                }
            }
        });
    }
};

}  // namespace csr_loops
