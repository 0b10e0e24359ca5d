// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The dense matrix product of the baselines: OpenBLAS where SNACK_WITH_BLAS is defined (the CMake
// target snack::blas does it and links the library), loops of our own otherwise. The choice is part
// of a type, so that units built with and without it cannot be mixed up by the linker.

#include <climits>
#include <type_traits>

#include <snack/kernels/host/loop_gemm.hpp>

#if defined(SNACK_WITH_BLAS)
#include <cblas.h>
#endif

namespace snack::inline v0::kernels::host {

#if defined(SNACK_WITH_BLAS)

/// C = beta C + A B as LoopGemm, by cblas_?gemm, and by cblas_?gemv if C is one row or one column.
///
/// The library's sizes are of type int: a product in which an extent or a stride is larger goes to
/// LoopGemm, as does one without terms. OpenBLAS brings threads of its own and shares them among all
/// callers; OPENBLAS_NUM_THREADS says how many, and its sums may depend on it. Several threads may
/// call at once if it was built for that, as Debian's is.
template <class Isa>
struct BlasGemm {
    using context_type = HostContext;
    static constexpr Determinism determinism = Determinism::not_guaranteed;

    /// Products on the host need nothing made before.
    static void prepare(HostContext&) {}

    template <class T>
    static void multiply(HostContext& ctx, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "BLAS takes float and double");
        if (a.empty() || b.empty() || !fits(a) || !fits(b) || !fits(c)) {
            LoopGemm<Isa>::multiply(ctx, a, b, beta, c);
        } else if (c.features() == 1) {
            multiply_column(a, b, beta, c);
        } else if (c.batch() == 1) {
            multiply_column<T>(transposed(b), transposed(a), beta, transposed(c));
        } else {
            multiply_matrix(a, b, beta, c);
        }
    }

private:
    template <class T>
    static bool fits(const MatrixView<T>& view) {
        return view.batch() <= INT_MAX && view.features() <= INT_MAX && view.stride() <= INT_MAX;
    }
    static int narrow(Size size) { return static_cast<int>(size); }

    template <class T>
    static void multiply_matrix(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
        const auto order = c.layout() == Layout::row_major ? CblasRowMajor : CblasColMajor;
        const auto of_a = a.layout() == c.layout() ? CblasNoTrans : CblasTrans;
        const auto of_b = b.layout() == c.layout() ? CblasNoTrans : CblasTrans;
        const auto call = [&](const auto& gemm) {
            gemm(order, of_a, of_b, narrow(c.batch()), narrow(c.features()), narrow(a.features()), T{1}, a.data(),
                 narrow(a.stride()), b.data(), narrow(b.stride()), beta, c.data(), narrow(c.stride()));
        };
        if constexpr (std::is_same_v<T, float>) {
            call(cblas_sgemm);
        } else {
            call(cblas_dgemm);
        }
    }

    /// C and B have one column.
    template <class T>
    static void multiply_column(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
        if (beta == 0) {  // not left to the library: versions differ in what becomes of a NaN in C
            for (Size i = 0; i < c.batch(); ++i) {
                c(i, 0) = 0;
            }
            beta = 1;
        }
        const auto order = a.layout() == Layout::row_major ? CblasRowMajor : CblasColMajor;
        const auto call = [&](const auto& gemv) {
            gemv(order, CblasNoTrans, narrow(a.batch()), narrow(a.features()), T{1}, a.data(), narrow(a.stride()),
                 b.data(), narrow(b.sample_stride()), beta, c.data(), narrow(c.sample_stride()));
        };
        if constexpr (std::is_same_v<T, float>) {
            call(cblas_sgemv);
        } else {
            call(cblas_dgemv);
        }
    }
};

template <class Isa>
using Gemm = BlasGemm<Isa>;

#else

template <class Isa>
using Gemm = LoopGemm<Isa>;

#endif

}  // namespace snack::inline v0::kernels::host
