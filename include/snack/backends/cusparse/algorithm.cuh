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
    CuSparseAlgorithm algorithm;
    const char* name;
    const char* forward_name;  ///< of the backend that has the forward product alone
    bool coo;
    cusparseSpMMAlg_t product;             ///< W x
    cusparseSpMMAlg_t transposed_product;  ///< dy W; not every algorithm can
    cusparseSpMVAlg_t vector_product;      ///< either, for one sample
};

/// In the order of the enumerators.
inline constexpr CuSparseChoice cusparse_choices[] = {
    {CuSparseAlgorithm::csr_default, "CuSparse/csr", "CuSparseForward/csr", false, CUSPARSE_SPMM_ALG_DEFAULT,
     CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMV_ALG_DEFAULT},
    {CuSparseAlgorithm::csr_1, "CuSparse/csr_1", "CuSparseForward/csr_1", false, CUSPARSE_SPMM_CSR_ALG1,
     CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG1},
    {CuSparseAlgorithm::csr_2, "CuSparse/csr_2", "CuSparseForward/csr_2", false, CUSPARSE_SPMM_CSR_ALG2,
     CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMV_CSR_ALG2},
    {CuSparseAlgorithm::csr_3, "CuSparse/csr_3", "CuSparseForward/csr_3", false, CUSPARSE_SPMM_CSR_ALG3,
     CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG2},
    {CuSparseAlgorithm::coo_default, "CuSparse/coo", "CuSparseForward/coo", true, CUSPARSE_SPMM_ALG_DEFAULT,
     CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMV_ALG_DEFAULT},
    {CuSparseAlgorithm::coo_1, "CuSparse/coo_1", "CuSparseForward/coo_1", true, CUSPARSE_SPMM_COO_ALG1,
     CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMV_COO_ALG1},
    {CuSparseAlgorithm::coo_2, "CuSparse/coo_2", "CuSparseForward/coo_2", true, CUSPARSE_SPMM_COO_ALG2,
     CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMV_COO_ALG2},
    {CuSparseAlgorithm::coo_3, "CuSparse/coo_3", "CuSparseForward/coo_3", true, CUSPARSE_SPMM_COO_ALG3,
     CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMV_COO_ALG1},
    {CuSparseAlgorithm::coo_4, "CuSparse/coo_4", "CuSparseForward/coo_4", true, CUSPARSE_SPMM_COO_ALG4,
     CUSPARSE_SPMM_COO_ALG4, CUSPARSE_SPMV_COO_ALG1},
};

constexpr const CuSparseChoice& cusparse_choice(CuSparseAlgorithm algorithm) {
    return cusparse_choices[static_cast<int>(algorithm)];
}

}  // namespace detail

}  // namespace snack::inline v0
