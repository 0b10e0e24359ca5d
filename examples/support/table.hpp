// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A table of text: the first column to the left, the others to the right, each as wide as its
// widest cell.

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace examples {

class Table {
public:
    /// Rows may differ in length.
    void add(std::vector<std::string> row) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths_.resize(std::max(widths_.size(), row.size()));
            widths_[i] = std::max(widths_[i], static_cast<int>(row[i].size()));
        }
        rows_.push_back(std::move(row));
    }

    void print(std::FILE* stream) const {
        for (const std::vector<std::string>& row : rows_) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                std::fprintf(stream, i == 0 ? "%-*s" : "  %*s", widths_[i], row[i].c_str());
            }
            std::fputc('\n', stream);
        }
    }

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<int> widths_;
};

}  // namespace examples
