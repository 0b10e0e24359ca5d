// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// librsb: recursive sparse blocks. Its tuner is run for every batch and layout, and what it finds
// is kept if it says that it is faster; both count as preprocessing.

#include <bench/peers/absent.hpp>

#if defined(SNACK_BENCH_LIBRSB)

#include <rsb.h>

#include <stdexcept>
#include <string>

namespace bench {

class Librsb : public NoGradients {
public:
    static constexpr const char* name = "librsb";

    Librsb(const Problem& problem, const Setting& setting)
        : transposed_(setting.operation == Operation::input_gradient ? RSB_TRANSPOSITION_T : RSB_TRANSPOSITION_N) {
        static const Library library;
        const rsb_int_t threads = setting.threads;
        check(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads));
        const snack::Topology& topology = *problem.topology;
        const snack::Buffer<Index> rows = topology.rows();
        rsb_err_t error = RSB_ERR_NO_ERROR;
        matrix_ = rsb_mtx_alloc_from_coo_const(
            problem.values.data(), rows.data(), topology.columns().data(), static_cast<rsb_nnz_idx_t>(topology.nnz()),
            RSB_NUMERICAL_TYPE_FLOAT, static_cast<rsb_coo_idx_t>(topology.out_features()),
            static_cast<rsb_coo_idx_t>(topology.in_features()), 1, 1, RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS, &error);
        check(error);
    }
    Librsb(const Librsb& other) : NoGradients(other), transposed_(other.transposed_) {
        check(rsb_mtx_clone(&matrix_, RSB_NUMERICAL_TYPE_SAME_TYPE, RSB_TRANSPOSITION_N, nullptr, other.matrix_,
                            RSB_FLAG_IDENTICAL_FLAGS));
    }
    Librsb& operator=(const Librsb&) = delete;
    ~Librsb() { rsb_mtx_free(matrix_); }

    void tune(Operands& at) {
        constexpr rsb_time_t seconds = 0.05;
        const Product product = product_of(at);
        check(rsb_tune_spmm(&matrix_, nullptr, nullptr, 1, seconds, transposed_, &one, nullptr, columns(at), order(at),
                            product.from, product.from_stride, &zero, product.to, product.to_stride));
    }

    void forward(Operands& at) const { multiply(at); }
    void input_gradient(Operands& at) const { multiply(at); }

    Size bytes() const {
        std::size_t bytes = 0;
        rsb_mtx_get_info(matrix_, RSB_MIF_TOTAL_SIZE__TO__SIZE_T, &bytes);
        return static_cast<Size>(bytes);
    }
    Size bytes_read() const { return bytes(); }

private:
    /// Started once; ends with the program.
    struct Library {
        Library() { check(rsb_lib_init(RSB_NULL_INIT_OPTIONS)); }
        ~Library() { rsb_lib_exit(RSB_NULL_EXIT_OPTIONS); }
        Library(const Library&) = delete;
        Library& operator=(const Library&) = delete;
    };

    struct Product {
        const float* from;
        rsb_nnz_idx_t from_stride;
        float* to;
        rsb_nnz_idx_t to_stride;
    };

    static constexpr float one = 1;
    static constexpr float zero = 0;

    static void check(rsb_err_t error) {
        if (error != RSB_ERR_NO_ERROR) {
            throw std::runtime_error("librsb: error " + std::to_string(error));
        }
    }

    static rsb_coo_idx_t columns(const Operands& at) { return static_cast<rsb_coo_idx_t>(at.batch()); }
    static rsb_flags_t order(const Operands& at) {
        return at.layout() == Layout::row_major ? RSB_FLAG_WANT_COLUMN_MAJOR_ORDER : RSB_FLAG_WANT_ROW_MAJOR_ORDER;
    }

    Product product_of(Operands& at) const {
        const auto in = static_cast<rsb_nnz_idx_t>(at.in_stride());
        const auto out = static_cast<rsb_nnz_idx_t>(at.out_stride());
        return transposed_ == RSB_TRANSPOSITION_N ? Product{at.x().data(), in, at.y().data(), out}
                                                  : Product{at.dy().data(), out, at.dx().data(), in};
    }

    void multiply(Operands& at) const {
        const Product product = product_of(at);
        check(at.batch() == 1 ? rsb_spmv(transposed_, &one, matrix_, product.from, 1, &zero, product.to, 1)
                              : rsb_spmm(transposed_, &one, matrix_, columns(at), order(at), product.from,
                                         product.from_stride, &zero, product.to, product.to_stride));
    }

    rsb_trans_t transposed_;
    rsb_mtx_t* matrix_ = nullptr;
};

}  // namespace bench

#else

namespace bench {

struct LibrsbName {
    static constexpr const char* name = "librsb";
};
using Librsb = Absent<LibrsbName>;

}  // namespace bench

#endif
