// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// OpenBLAS: the dense products, on a matrix with zeros where the sparse one has no entry, stored by
// rows (by columns takes the same time, within what runs differ).
// The momentum of a training step is folded into the product that makes the gradient, which no
// longer needs an array of its own: a pass over memory less than gradient and optimiser apart.

#include <bench/peers/absent.hpp>

#if defined(SNACK_WITH_BLAS)

#include <cblas.h>

namespace bench {

class OpenBlas {
public:
    static constexpr const char* name = "OpenBLAS";
    static const char* lacks(Operation) { return nullptr; }

    OpenBlas(const Problem& problem, const Setting& setting)
        : out_(static_cast<int>(problem.topology->out_features())),
          in_(static_cast<int>(problem.topology->in_features())),
          weights_(dense_values(problem)) {
        if (setting.operation != Operation::forward && setting.operation != Operation::input_gradient) {
            gradients_.resize(weights_.size());
        }
    }

    void tune(Operands&) {}

    void forward(Operands& at) const {
        const float* w = weights_.data();
        const int batch = static_cast<int>(at.batch());
        if (batch == 1) {
            cblas_sgemv(CblasRowMajor, CblasNoTrans, out_, in_, 1, w, in_, at.x().data(), 1, 0, at.y().data(), 1);
        } else if (at.layout() == Layout::row_major) {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, out_, in_, 1, at.x().data(), in_, w, in_, 0,
                        at.y().data(), out_);
        } else {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, out_, batch, in_, 1, w, in_, at.x().data(), batch, 0,
                        at.y().data(), batch);
        }
    }

    void input_gradient(Operands& at) const {
        const float* w = weights_.data();
        const int batch = static_cast<int>(at.batch());
        if (batch == 1) {
            cblas_sgemv(CblasRowMajor, CblasTrans, out_, in_, 1, w, in_, at.dy().data(), 1, 0, at.dx().data(), 1);
        } else if (at.layout() == Layout::row_major) {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, batch, in_, out_, 1, at.dy().data(), out_, w, in_, 0,
                        at.dx().data(), in_);
        } else {
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, in_, batch, out_, 1, w, in_, at.dy().data(), batch, 0,
                        at.dx().data(), batch);
        }
    }

    void weight_gradient(Operands& at) { add_weight_gradient(at, 0); }

    void backward(Operands& at) {
        weight_gradient(at);
        input_gradient(at);
    }

    void training_step(Operands& at) {
        forward(at);
        input_gradient(at);
        add_weight_gradient(at, momentum);
        cblas_saxpy(out_ * in_, -learning_rate, gradients_.data(), 1, weights_.data(), 1);
    }

    float gradient(Size, Index row, Index column) const { return gradients_[position(row, column)]; }
    float value(Size, Index row, Index column) const { return weights_[position(row, column)]; }
    Size bytes() const { return static_cast<Size>((weights_.size() + gradients_.size()) * sizeof(float)); }
    Size bytes_read() const { return static_cast<Size>(weights_.size() * sizeof(float)); }

private:
    /// gradients = beta gradients + dy^T x
    void add_weight_gradient(Operands& at, float beta) {
        const int batch = static_cast<int>(at.batch());
        if (at.layout() == Layout::row_major) {
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, out_, in_, batch, 1, at.dy().data(), out_,
                        at.x().data(), in_, beta, gradients_.data(), in_);
        } else {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, out_, in_, batch, 1, at.dy().data(), batch,
                        at.x().data(), batch, beta, gradients_.data(), in_);
        }
    }

    std::size_t position(Index row, Index column) const {
        return static_cast<std::size_t>(snack::cell_index(row, column, in_));
    }

    int out_;
    int in_;
    Floats weights_;
    Floats gradients_;  ///< the velocity in a training step
};

}  // namespace bench

#else

namespace bench {

struct OpenBlasName {
    static constexpr const char* name = "OpenBLAS";
};
using OpenBlas = Absent<OpenBlasName>;

}  // namespace bench

#endif
