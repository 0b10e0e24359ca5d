// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What names one row of the GPU benchmarks, and the file that it ends up in. Rows are written when they
// are measured, so that a run that is cut short keeps what it has.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>

#include <bench/setting.hpp>

namespace bench::gpu {

struct Label {
    std::string operation;
    std::string method;
    Size out_features = 0;
    Size in_features = 0;
    double sparsity = 0;
    Size batch = 0;
    std::string layout = "-";
    std::string cache = "-";

    std::string name() const {
        char text[256];
        std::snprintf(text, sizeof text, "%s/%s/%lldx%lld/%.3f/%lld/%s/%s", operation.c_str(), method.c_str(),
                      static_cast<long long>(out_features), static_cast<long long>(in_features), sparsity,
                      static_cast<long long>(batch), layout.c_str(), cache.c_str());
        return text;
    }
};

/// One line of a file. What was not measured is 0, and empty in the file.
struct Row {
    Label label;
    double median_us = 0;
    double least_us = 0;
    int calls = 0;          ///< in a graph
    int copies = 0;         ///< of the weights, over which these calls take turns
    Size memory_bytes = 0;  ///< held for the operation, activations apart
    Size peak_bytes = 0;    ///< most that was held at a time, making the layer included
    double prepare_us = 0;  ///< for the plan, conversions and copies; once per topology
    double watts = 0;       ///< mean over the run
    double joules_per_call = 0;
    std::string note = {};
};

/// The files of one run, `FOLDER/NAME.csv`, each begun by its first row.
class Results {
public:
    /// @param folder  where the files go; none are written if empty
    /// @param filter  which rows to run, by name
    /// @param append  whether rows are added to files that exist
    Results(std::string folder, const std::string& filter, bool append)
        : folder_(std::move(folder)), filter_(filter), append_(append) {}

    bool wants(const Label& label) const { return std::regex_search(label.name(), filter_); }

    /// Writes a row to a file and tells of it on stderr.
    void keep(const std::string& file, const Row& row) {
        std::fprintf(stderr, "%-74s %10.2f us %s\n", row.label.name().c_str(), row.median_us, row.note.c_str());
        ++rows_;
        if (!folder_.empty()) {
            std::ofstream& out = opened(file);
            out << line(row) << std::endl;
            if (!out) {
                throw std::runtime_error("cannot write " + folder_ + "/" + file + ".csv");
            }
        }
    }

    /// A row that computed something else than the oracle.
    void count_fault() { ++faults_; }
    int faults() const { return faults_; }
    int rows() const { return rows_; }

private:
    std::ofstream& opened(const std::string& file) {
        const auto found = files_.find(file);
        if (found != files_.end()) {
            return found->second;
        }
        const std::string path = folder_ + "/" + file + ".csv";
        const bool goes_on = append_ && std::filesystem::exists(path);
        std::ofstream& out = files_[file];
        out.open(path, goes_on ? std::ios::app : std::ios::trunc);
        if (!goes_on) {
            out << "operation,method,out_features,in_features,sparsity,batch,layout,cache,median_us,min_us,calls,"
                   "copies,"
                   "memory_bytes,peak_bytes,prepare_us,watts,joules_per_call,note\n";
        }
        return out;
    }

    static std::string line(const Row& row) {
        const auto number = [](const char* pattern, double value) {
            char text[64];
            std::snprintf(text, sizeof text, pattern, value);
            return value > 0 ? "," + std::string(text) : std::string(",");
        };
        const Label& at = row.label;
        std::string text = at.operation + "," + at.method + "," + std::to_string(at.out_features) + "," +
                           std::to_string(at.in_features) + number("%.3f", at.sparsity) + "," +
                           std::to_string(at.batch) + "," + at.layout + "," + at.cache;
        text += number("%.3f", row.median_us) + number("%.3f", row.least_us);
        text += number("%.0f", row.calls) + number("%.0f", row.copies);
        text += number("%.0f", static_cast<double>(row.memory_bytes));
        text += number("%.0f", static_cast<double>(row.peak_bytes));
        text += number("%.1f", row.prepare_us) + number("%.1f", row.watts) + number("%.6g", row.joules_per_call);
        return text + ",\"" + row.note + "\"";
    }

    std::string folder_;
    std::regex filter_;
    bool append_;
    std::map<std::string, std::ofstream> files_;
    int faults_ = 0;
    int rows_ = 0;
};

}  // namespace bench::gpu
