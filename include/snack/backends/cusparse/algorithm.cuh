// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The formats and algorithms of cuSPARSE that a backend can be made of.

#include <cusparse.h>

namespace snack::inline v0 {

/// Format and algorithm of W x; numbers are those of cuSPARSE's own names for SpMM.
enum class CuSparseAlgorithm { csr_default, csr_1, csr_2, csr_3, coo_default, coo_1, coo_2, coo_3, coo_4 };

namespace detail {

/// What an algorithm means for each of the library's calls.
struct CuSparseChoice {
    const char* name;
    bool coo;
    cusparseSpMMAlg_t product;             ///< W x
    cusparseSpMMAlg_t transposed_product;  ///< dy W; not every algorithm can
    cusparseSpMVAlg_t vector_product;      ///< either, for one sample
};

constexpr CuSparseChoice cusparse_choice(CuSparseAlgorithm algorithm) {
    switch (algorithm) {
        case CuSparseAlgorithm::csr_1:
            return {"CuSparse/csr_1", false, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG1};
        case CuSparseAlgorithm::csr_2:
            return {"CuSparse/csr_2", false, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMV_CSR_ALG2};
        case CuSparseAlgorithm::csr_3:
            return {"CuSparse/csr_3", false, CUSPARSE_SPMM_CSR_ALG3, CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG2};
        case CuSparseAlgorithm::coo_default:
            return {"CuSparse/coo", true, CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_ALG_DEFAULT,
                    CUSPARSE_SPMV_ALG_DEFAULT};
        case CuSparseAlgorithm::coo_1:
            return {"CuSparse/coo_1", true, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMV_COO_ALG1};
        case CuSparseAlgorithm::coo_2:
            return {"CuSparse/coo_2", true, CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMV_COO_ALG2};
        case CuSparseAlgorithm::coo_3:
            return {"CuSparse/coo_3", true, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMV_COO_ALG1};
        case CuSparseAlgorithm::coo_4:
            return {"CuSparse/coo_4", true, CUSPARSE_SPMM_COO_ALG4, CUSPARSE_SPMM_COO_ALG4, CUSPARSE_SPMV_COO_ALG1};
        case CuSparseAlgorithm::csr_default:
            break;
    }
    return {"CuSparse/csr", false, CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMV_ALG_DEFAULT};
}

}  // namespace detail

}  // namespace snack::inline v0
