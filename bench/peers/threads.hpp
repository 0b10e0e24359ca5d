// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The number of threads of libraries that keep it for the whole process: OpenBLAS, which the
// dense baselines use too, and OpenMP, on which Eigen and librsb run.

#if defined(SNACK_WITH_BLAS)
#include <cblas.h>
#endif
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace bench {

inline void set_process_threads([[maybe_unused]] int threads) {
#if defined(SNACK_WITH_BLAS)
    openblas_set_num_threads(threads);
#endif
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#endif
}

}  // namespace bench
