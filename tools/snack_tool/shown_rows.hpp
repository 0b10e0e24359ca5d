// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How long work is told about: a source of rows that says how far it has been read.

#include <span>
#include <string>
#include <utility>

#include <examples/support/format.hpp>
#include <examples/support/progress.hpp>
#include <snack/core/scalar.hpp>

namespace tool {

using snack::Size;

/// Says on a terminal what is being done.
inline void announce(examples::Progress& progress, const std::string& text) {
    if (progress.due()) {
        progress.show(text);
    }
}

/// Reads through another source, which it holds.
template <class Rows>
class ShownRows {
public:
    ShownRows(Rows rows, std::string name, examples::Progress& progress)
        : rows_(std::move(rows)), name_(std::move(name)), progress_(&progress) {}

    Size rows() const { return rows_.rows(); }
    Size columns() const { return rows_.columns(); }

    template <snack::Scalar T>
    void read_rows(Size first, Size count, std::span<T> to) const {
        rows_.read_rows(first, count, to);
        if (progress_->due()) {
            progress_->show(name_ + examples::format("  %.0f %%", 100 * static_cast<double>(first + count) /
                                                                      static_cast<double>(rows())));
        }
    }

private:
    Rows rows_;
    std::string name_;
    examples::Progress* progress_;
};

}  // namespace tool
