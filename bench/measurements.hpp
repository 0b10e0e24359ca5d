// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs groups of rows under Google Benchmark and keeps what they measured. The rows of a group
// take turns in random order, repetition by repetition, so that a change of the machine's speed
// hits all of them; between two rows the threads of the first are waited for. A row that comes
// again in a later pass over the plan adds to its repetitions.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <bench/setting.hpp>

namespace bench {

/// One line of the results.
struct Row {
    Label label;
    std::string note = {};            ///< why it was not timed, or a remark
    std::function<void()> call = {};  ///< what is timed; empty for a row that is not
    double call_seconds = 0;          ///< about how long a call takes
    double prepare_seconds = 0;
    double compulsory_bytes = 0;
    Size memory_bytes = 0;
    std::vector<double> seconds = {};  ///< of one call, for each repetition
};

/// Threads of a library may spin for tens of milliseconds after a call, on the core that the next
/// row needs. Returns when this process takes no time any more.
inline void wait_for_idle_threads() {
    const auto used = [] {
        timespec now{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    for (int tries = 0; tries < 200; ++tries) {
        const double before = used();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (used() - before < 2e-4) {
            return;
        }
    }
}

inline double seconds_of(const std::function<void()>& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Measurements {
public:
    /// @param min_time     seconds that each repetition of a row takes at least
    /// @param filter       which names to run, as a regular expression; empty for all
    Measurements(double min_time, int repetitions, const std::string& filter, bool list)
        : min_time_(min_time), repetitions_(repetitions), filter_(filter), list_(list) {}

    /// Whether the row is wanted. In a listing it is printed, and nothing is wanted.
    bool wants(const Label& label) const {
        const std::string name = label.name();
        const bool matches = std::regex_search(name, filter_);
        if (matches && list_) {
            std::puts(name.c_str());
        }
        return matches && !list_;
    }

    /// Times the rows that have a call, in turns, and keeps all of them in this order. The calls
    /// are dropped, with what they hold.
    void run(std::vector<Row>&& group) {
        std::map<std::string, Row*> timed;
        for (Row& row : group) {
            if (row.call) {
                timed[row.label.name()] = &row;
                register_row(row);
            } else {
                std::printf("%-72s %s\n", row.label.name().c_str(), row.note.c_str());
            }
        }
        Reporter reporter(timed);
        if (!timed.empty()) {
            benchmark::RunSpecifiedBenchmarks(&reporter, ".");
            benchmark::ClearRegisteredBenchmarks();
        }
        for (Row& row : group) {
            row.call = nullptr;
        }
        keep(std::move(group));
        std::fflush(stdout);
    }

    /// Keeps rows that were timed elsewhere. Of a name that is kept already: its times, and what went wrong.
    void keep(std::vector<Row>&& rows) {
        for (Row& row : rows) {
            const auto [known, is_new] = by_name_.try_emplace(row.label.name(), rows_.size());
            if (is_new) {
                rows_.push_back(std::move(row));
                continue;
            }
            Row& before = rows_[known->second];
            before.seconds.insert(before.seconds.end(), row.seconds.begin(), row.seconds.end());
            if (!row.note.empty()) {
                before.note = std::move(row.note);
            }
        }
    }

    /// A row that computed something else than the oracle.
    void count_fault() { ++faults_; }
    int faults() const { return faults_; }
    const std::deque<Row>& rows() const { return rows_; }

private:
    class Reporter : public benchmark::BenchmarkReporter {
    public:
        explicit Reporter(std::map<std::string, Row*>& rows) : rows_(&rows) {}
        bool ReportContext(const Context&) override { return true; }
        void ReportRuns(const std::vector<Run>& runs) override {
            for (const Run& run : runs) {
                if (run.run_type == Run::RT_Iteration) {
                    Row& row = *rows_->at(run.run_name.function_name);
                    row.seconds.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
                    if (row.seconds.size() == static_cast<std::size_t>(run.repetitions)) {
                        std::printf("%-72s %10.1f us\n", run.run_name.function_name.c_str(),
                                    1e6 * *std::min_element(row.seconds.begin(), row.seconds.end()));
                    }
                }
            }
        }

    private:
        std::map<std::string, Row*>* rows_;
    };

    void register_row(Row& row) const {
        benchmark::RegisterBenchmark(row.label.name().c_str(),
                                     [&row](benchmark::State& state) {
                                         wait_for_idle_threads();
                                         if (row.call_seconds < slow_seconds) {
                                             row.call();  // wakes threads, warms caches
                                         }
                                         for (auto _ : state) {
                                             row.call();
                                         }
                                     })
            ->MinTime(min_time_)
            ->Repetitions(row.call_seconds < slow_seconds ? repetitions_ : std::min(repetitions_, 3))
            ->UseRealTime();
    }

    /// Of calls that take longer there are fewer.
    static constexpr double slow_seconds = 0.02;

    double min_time_;
    int repetitions_;
    std::regex filter_;
    bool list_;
    int faults_ = 0;
    std::deque<Row> rows_;
    std::map<std::string, std::size_t> by_name_ = {};  ///< positions in rows_
};

}  // namespace bench
