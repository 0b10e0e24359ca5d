// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Eigen's sparse matrix in either storage order, times a dense one. Compiled with OpenMP, Eigen
// spreads the products over threads in which a thread can own rows.

#include <bench/peers/absent.hpp>

#if defined(SNACK_BENCH_EIGEN)

#include <Eigen/Sparse>

#include <vector>

namespace bench {

template <int Order>
class EigenSparse : public NoGradients {
public:
    static constexpr const char* name = Order == Eigen::RowMajor ? "EigenRow" : "EigenCol";

    EigenSparse(const Problem& problem, const Setting& setting) {
        Eigen::setNbThreads(setting.threads);
        const snack::Topology& topology = *problem.topology;
        const std::vector<int> offsets(topology.row_offsets().begin(), topology.row_offsets().end());
        weights_ = Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor, int>>(
            topology.out_features(), topology.in_features(), topology.nnz(), offsets.data(), topology.columns().data(),
            problem.values.data());
    }

    void forward(Operands& at) const {
        if (at.batch() == 1) {
            vector(at.y()).noalias() = weights_ * vector(at.x());
        } else if (at.layout() == Layout::row_major) {
            matrix<Eigen::ColMajor>(at.y()).noalias() = weights_ * matrix<Eigen::ColMajor>(at.x());
        } else {
            matrix<Eigen::RowMajor>(at.y()).noalias() = weights_ * matrix<Eigen::RowMajor>(at.x());
        }
    }

    void input_gradient(Operands& at) const {
        if (at.batch() == 1) {
            vector(at.dx()).noalias() = weights_.transpose() * vector(at.dy());
        } else if (at.layout() == Layout::row_major) {
            matrix<Eigen::ColMajor>(at.dx()).noalias() = weights_.transpose() * matrix<Eigen::ColMajor>(at.dy());
        } else {
            matrix<Eigen::RowMajor>(at.dx()).noalias() = weights_.transpose() * matrix<Eigen::RowMajor>(at.dy());
        }
    }

    Size bytes() const {
        return weights_.nonZeros() * static_cast<Size>(sizeof(float) + sizeof(int)) +
               (weights_.outerSize() + 1) * static_cast<Size>(sizeof(int));
    }
    Size bytes_read() const { return bytes(); }

private:
    template <class T>
    using VectorOf = std::conditional_t<std::is_const_v<T>, const Eigen::VectorXf, Eigen::VectorXf>;
    template <class T, int Storage, class Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Storage>>
    using MatrixOf = std::conditional_t<std::is_const_v<T>, const Matrix, Matrix>;

    template <class T>
    static Eigen::Map<VectorOf<T>> vector(snack::MatrixView<T> view) {
        return {view.data(), view.features()};
    }
    /// features x batch: one sample side by side is ColMajor.
    template <int Storage, class T>
    static Eigen::Map<MatrixOf<T, Storage>> matrix(snack::MatrixView<T> view) {
        return {view.data(), view.features(), view.batch()};
    }

    Eigen::SparseMatrix<float, Order, int> weights_;
};

using EigenRowMajor = EigenSparse<Eigen::RowMajor>;
using EigenColMajor = EigenSparse<Eigen::ColMajor>;

}  // namespace bench

#else

namespace bench {

struct EigenRowName {
    static constexpr const char* name = "EigenRow";
};
struct EigenColName {
    static constexpr const char* name = "EigenCol";
};
using EigenRowMajor = Absent<EigenRowName>;
using EigenColMajor = Absent<EigenColName>;

}  // namespace bench

#endif
