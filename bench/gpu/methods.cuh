// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The lists of what is measured. A backend of the library, or a peer, joins by its name here.

#include <tuple>

#include <bench/gpu/peers/dense.cuh>
#include <bench/gpu/peers/shuffled_coo.cuh>
#include <bench/gpu/peers/snack.cuh>
#include <snack/backends/cusparse.cuh>
#include <snack/backends/dense.cuh>
#include <snack/backends/dense_mask.cuh>

namespace bench::gpu {

template <>
inline constexpr double operand_roundoff_of<snack::CudaDenseTf32> = tf32_roundoff;
template <>
inline constexpr double operand_roundoff_of<snack::CudaDenseMaskTf32> = tf32_roundoff;

/// The library's own.
using Backends = std::tuple<Snack<snack::CooAtomic>, Snack<snack::CooSegmented>>;

template <snack::CuSparseAlgorithm... Algorithms>
using CuSparseRows = std::tuple<Snack<snack::CuSparseBackend<Algorithms>>...>;
using enum snack::CuSparseAlgorithm;

/// cuSPARSE with every algorithm. An algorithm that lacks a product says so in its row.
using CuSparsePeers = CuSparseRows<csr_default, csr_1, csr_2, csr_3, coo_default, coo_1, coo_2, coo_3, coo_4>;

/// The dense baselines behind the library's concept: parameters are the nnz values here too, so a step copies
/// them to W, and gradients from it.
using DenseBackends = std::tuple<Snack<snack::CudaDense>, Snack<snack::CudaDenseTf32>, Snack<snack::CudaDenseMask>,
                                 Snack<snack::CudaDenseMaskTf32>>;

/// What else they are compared with: the paper's order of entries, and cuBLAS called in every way.
using Peers =
    std::tuple<ShuffledCoo,  //
               CublasDense<Precision::fp32, WeightOrder::rows>, CublasDense<Precision::fp32, WeightOrder::columns>,
               CublasDense<Precision::tf32, WeightOrder::rows>, CublasDense<Precision::tf32, WeightOrder::columns>,
               CublasDense<Precision::fp32, WeightOrder::rows, Masking::none, Call::gemv>,
               CublasDense<Precision::fp32, WeightOrder::columns, Masking::none, Call::gemv>,
               CublasDense<Precision::fp32, WeightOrder::rows, Masking::none, Call::gemm_momentum>,
               CublasDense<Precision::fp32, WeightOrder::columns, Masking::none, Call::gemm_momentum>,
               CublasDense<Precision::fp32, WeightOrder::rows, Masking::multiplied>,
               CublasDense<Precision::fp32, WeightOrder::columns, Masking::multiplied>,
               CublasDense<Precision::tf32, WeightOrder::rows, Masking::multiplied>,
               CublasDense<Precision::tf32, WeightOrder::columns, Masking::multiplied>,
               CublasDense<Precision::fp32, WeightOrder::rows, Masking::multiplied, Call::gemv>,
               CublasDense<Precision::fp32, WeightOrder::columns, Masking::multiplied, Call::gemv>>;

/// Those that can be the fastest of their kind in a step, for what takes seconds a row: energy.
using DenseMethods =
    std::tuple<CublasDense<Precision::fp32, WeightOrder::rows>, CublasDense<Precision::fp32, WeightOrder::columns>,
               CublasDense<Precision::fp32, WeightOrder::rows, Masking::none, Call::gemm_momentum>,
               CublasDense<Precision::fp32, WeightOrder::columns, Masking::none, Call::gemm_momentum>>;
using MaskedMethods = std::tuple<CublasDense<Precision::fp32, WeightOrder::rows, Masking::multiplied>,
                                 CublasDense<Precision::fp32, WeightOrder::columns, Masking::multiplied>>;

/// visit.template operator()<M>() for each type of a list.
template <class... Methods, class Visit>
void for_each_method(const std::tuple<Methods...>*, const Visit& visit) {
    (visit.template operator()<Methods>(), ...);
}
template <class List, class Visit>
void for_each_method(const Visit& visit) {
    for_each_method(static_cast<const List*>(nullptr), visit);
}

}  // namespace bench::gpu
