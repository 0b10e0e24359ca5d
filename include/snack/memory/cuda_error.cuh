// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The exceptions for failed calls of CUDA and of the libraries that come with it, and the macro that every
// call of CUDA stands in. Only the code that a call itself returns is looked at: an error of somebody else's
// earlier launch stays theirs, and one that has become an exception is not left for the next caller of
// cudaGetLastError.

#include <string>

#include <cuda_runtime_api.h>

#include <snack/core/error.hpp>

namespace snack::inline v0 {

/// A CUDA call failed; keeps its code.
class CudaError : public Error {
public:
    CudaError(const std::string& text, cudaError_t code) : Error(text), code_(code) {}

    cudaError_t code() const noexcept { return code_; }

private:
    cudaError_t code_;
};

/// A call of cuBLAS or cuSPARSE failed; keeps the number of its status.
class CudaLibraryError : public Error {
public:
    CudaLibraryError(const std::string& text, int status) : Error(text), status_(status) {}

    int status() const noexcept { return status_; }

private:
    int status_;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_cuda(const char* where, const char* call, cudaError_t code) {
    cudaGetLastError();
    std::string text;
    (append(text, where), append(text, ": "), append(text, call), append(text, " failed with "));
    (append(text, cudaGetErrorName(code)), append(text, ", "), append(text, cudaGetErrorString(code)));
    append(text, code == cudaErrorInsufficientDriver ? "; CUDA says so too where there is no driver at all" : "");
#if defined(__cpp_exceptions)
    throw CudaError(text, code);
#else
    raise<Error>(text);
#endif
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_library(const char* where, const char* call, int status,
                                                                const char* meaning) {
    cudaGetLastError();
    std::string text;
    (append(text, where), append(text, ": "), append(text, call), append(text, " failed with status "));
    (append(text, status), append(text, ", "), append(text, meaning));
#if defined(__cpp_exceptions)
    throw CudaLibraryError(text, status);
#else
    raise<Error>(text);
#endif
}

/// Throws CudaError unless the call returned success.
inline void require_cuda(cudaError_t code, const char* where, const char* call) {
    if (code != cudaSuccess) [[unlikely]] {
        fail_cuda(where, call, code);
    }
}

}  // namespace detail

}  // namespace snack::inline v0

/// Runs a CUDA call on behalf of the operation `WHERE`; throws CudaError with its name unless it succeeds.
#define SNACK_CUDA(WHERE, CALL, ...) ::snack::detail::require_cuda(CALL(__VA_ARGS__), WHERE, #CALL)
