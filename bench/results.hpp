// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The results as a file: one line a row, in the order in which the rows are listed, which never
// depends on what was measured. Fields that a row has no number for are empty.

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include <bench/measurements.hpp>

namespace bench {

inline double median(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    const std::size_t half = numbers.size() / 2;
    return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

inline std::string csv_line(const Row& row) {
    const auto number = [](const char* pattern, double value) {
        char text[64];
        std::snprintf(text, sizeof text, pattern, value);
        return value > 0 ? std::string(text) : std::string();
    };
    const double middle = row.seconds.empty() ? 0 : median(row.seconds);
    const double least = row.seconds.empty() ? 0 : *std::min_element(row.seconds.begin(), row.seconds.end());
    const Label& at = row.label;
    std::string line = at.operation + "," + at.backend + ",float," + std::to_string(at.out_features) + "," +
                       std::to_string(at.in_features);
    line += number(",%.2f", at.sparsity) + "," + (at.batch > 0 ? std::to_string(at.batch) : "");
    line += "," + std::to_string(at.threads) + "," + at.layout + "," + at.cache;
    line += "," + number("%.3f", middle * 1e6) + "," + number("%.3f", least * 1e6);
    line += "," + number("%.3f", middle > 0 ? row.compulsory_bytes / middle * 1e-9 : 0);
    line += "," + number("%.0f", static_cast<double>(row.memory_bytes));
    line += "," + number("%.0f", row.prepare_seconds * 1e6);
    return line + ",\"" + row.note + "\"";
}

inline void write_csv(const std::string& path, const Measurements& measurements) {
    std::ofstream file(path);
    file << "operation,backend,scalar,out_features,in_features,sparsity,batch,threads,layout,cache,median_us,min_us,"
            "gb_per_s,memory_bytes,prepare_us,note\n";
    for (const Row& row : measurements.rows()) {
        file << csv_line(row) << "\n";
    }
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace bench
