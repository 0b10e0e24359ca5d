// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The lists of what is measured. A backend of the library, or a peer, joins by its name here.

#include <tuple>

#include <bench/gpu/peers/dense.cuh>
#include <bench/gpu/peers/shuffled_coo.cuh>
#include <bench/gpu/peers/snack.cuh>

namespace bench::gpu {

// Of a backend that computes in TF32:
// template <> inline constexpr double operand_roundoff_of<snack::DenseTf32> = tf32_roundoff;

/// The library's own.
using Backends = std::tuple<Snack<snack::CooAtomic>, Snack<snack::CooSegmented>>;

/// What they are compared with.
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

/// One dense method of each kind, for what takes seconds a row: energy and memory.
using DenseMethods =
    std::tuple<CublasDense<Precision::fp32, WeightOrder::rows>, CublasDense<Precision::fp32, WeightOrder::columns>>;
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
