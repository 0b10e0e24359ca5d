// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A tensor of a safetensors file as a weight that is read a few rows at a time: a source for `sparsify`, for which
// the tensor is never in memory as a whole.

#include <span>

#include <snack/core/error.hpp>
#include <snack/io/safetensors.hpp>

namespace snack::inline v0::io {

/// A tensor of two dimensions, (out_features, in_features), of any number type. File and tensor must outlive it.
class TensorRows {
public:
    /// @throws UnsupportedError for another number of dimensions; FormatError for more rows than the budget allows
    ///         a file of this size
    TensorRows(const Safetensors&& file, const TensorInfo& tensor, const Budget& budget = {}) = delete;
    TensorRows(const Safetensors& file, const TensorInfo& tensor, const Budget& budget = {})
        : file_(&file), tensor_(&tensor) {
        const char* where = file.name().c_str();
        require<UnsupportedError>(tensor.shape.size() == 2, where, "tensor ", quote(tensor.name), " has ",
                                  tensor.shape.size(), " dimensions, a weight has 2");
        const Size most = budget.features_in(file.source().size());
        require<FormatError>(rows() <= most, where, "tensor ", quote(tensor.name), " has ", rows(), " rows, ", most,
                             " is the budget");
    }

    Size rows() const noexcept { return tensor_->shape[0]; }
    Size columns() const noexcept { return tensor_->shape[1]; }

    /// to[r * columns() + c] = element (first + r, c), converted as io::decode says.
    /// @throws ShapeError for rows beyond the last; FileError
    template <Scalar T>
    void read_rows(Size first, Size, std::span<T> to) const {
        file_->read(*tensor_, first * columns(), to);
    }

private:
    const Safetensors* file_;
    const TensorInfo* tensor_;
};

}  // namespace snack::inline v0::io
