// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The integer types of the library and the few enumerations everything shares.
// A coordinate is 32 bits wide; every count, offset and product of dimensions is 64.
// Wider input is checked at the door and narrowed nowhere else.

#include <cstdint>

#if __cplusplus < 202002L
#error "snack needs C++20: compile with -std=c++20"
#endif

/// Marks a function that device code may call too, or that only device code calls, and a loop that device
/// code unrolls, so that an array which it goes through stays in registers; nothing without a CUDA compiler.
#if defined(__CUDACC__)
#define SNACK_UNROLL _Pragma("unroll")
#define SNACK_HOST_DEVICE __host__ __device__
#define SNACK_DEVICE __device__
#else
#define SNACK_UNROLL
#define SNACK_HOST_DEVICE
#define SNACK_DEVICE
#endif

namespace snack::inline v0 {

/// A row or column of a weight matrix.
using Index = std::int32_t;

/// A count of entries, an offset, a stride, or a product of dimensions.
using Size = std::int64_t;

/// The largest number of rows or columns.
inline constexpr Size max_features = 0x7fffffff;

/// Memory that the host dereferences; the tag in the type of a view.
struct HostSpace {};

/// Memory of a GPU: device code alone dereferences it.
struct CudaSpace {};

/// How far the results of a backend repeat, in the words of CCCL.
enum class Determinism {
    not_guaranteed,  ///< two runs may differ in the last bits
    run_to_run,      ///< same machine, same build, same call: same bits, at any thread count
    gpu_to_gpu,      ///< the same bits on every GPU
};

/// What a plan is for: an inference plan holds no structure for the backward pass.
enum class PlanUse { inference, training };

/// What `backward` does with the gradients a layer already holds.
enum class GradientMode { overwrite, accumulate };

/// Applied to each output of a forward pass; backward takes the gradient of the value before it.
enum class Activation {
    none,
    relu,  ///< negative results become 0, NaN stays
};

/// Position of (row, column) in a dense row-major matrix of `columns` columns.
/// At most 2^62, so it never overflows.
SNACK_HOST_DEVICE constexpr Size cell_index(Index row, Index column, Size columns) {
    return static_cast<Size>(row) * columns + column;
}

}  // namespace snack::inline v0
