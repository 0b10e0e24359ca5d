// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix Market files for io_mtx.py: makes them, and times the library's reader and writer on them.
//
//   snack_bench_io_mtx make FOLDER ENTRIES     six files of 10000 x 10000: entries by row, by column and shuffled,
//                                              values of 7 and of 17 digits
//   snack_bench_io_mtx read FILE THREADS       milliseconds of seven reads, one a line
//   snack_bench_io_mtx write FILE THREADS      the same of seven writes to FILE.copy

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_writer.hpp>

namespace {

using snack::Size;

struct Entry {
    int row;
    int column;
    double value;
};

/// `count` of n * n cells, each as likely as any other, with values in (-1, 1).
std::vector<Entry> draw(int n, Size count) {
    std::mt19937_64 dice(1);
    std::vector<Entry> entries;
    Size cells = Size{n} * n;
    for (int row = 1; row <= n; ++row) {
        for (int column = 1; column <= n; ++column, --cells) {
            if (static_cast<Size>(dice() % static_cast<std::uint64_t>(cells)) < count) {
                entries.push_back({row, column, static_cast<double>(dice() >> 11) * 0x1p-52 - 1});
                --count;
            }
        }
    }
    return entries;
}

void write(const std::filesystem::path& path, int n, const std::vector<Entry>& entries, int digits) {
    snack::io::AtomicFile file(path.string());
    const std::string size = std::to_string(n) + " ";
    file.write("%%MatrixMarket matrix coordinate real general\n" + size + size + std::to_string(entries.size()) + "\n");
    for (const Entry& entry : entries) {
        char line[80];
        const int length =
            std::snprintf(line, sizeof line, "%d %d %.*g\n", entry.row, entry.column, digits, entry.value);
        file.write(std::string_view(line, static_cast<std::size_t>(length)));
    }
    file.commit();
}

void make(const std::filesystem::path& folder, Size count) {
    const int n = 10000;
    std::vector<Entry> entries = draw(n, count);
    for (const std::string order : {"by_row", "by_column", "shuffled"}) {
        if (order == "by_column") {
            for (Entry& entry : entries) {  // the transpose, whose entries are by column
                std::swap(entry.row, entry.column);
            }
        } else if (order == "shuffled") {
            std::shuffle(entries.begin(), entries.end(), std::mt19937_64(2));
        }
        for (const int digits : {7, 17}) {
            write(folder / (order + "_" + std::to_string(digits) + ".mtx"), n, entries, digits);
        }
    }
}

/// Calls work() seven times.
template <class Work>
void time(const Work& work) {
    for (int round = 0; round < 7; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
        std::printf("%.1f\n", passed.count());
    }
}

int run(const std::vector<std::string>& arguments) {
    const bool known =
        arguments.size() == 4 && (arguments[1] == "make" || arguments[1] == "read" || arguments[1] == "write");
    if (!known) {
        std::fputs("usage: snack_bench_io_mtx make|read|write PATH NUMBER\n", stderr);
        return 2;
    }
    const int number = std::atoi(arguments[3].c_str());
    if (arguments[1] == "make") {
        make(arguments[2], number);
        return 0;
    }
    snack::HostContext ctx({.threads = number});
    const auto read = [&] { return snack::io::read_matrix_market<double>(ctx, snack::io::FileSource(arguments[2])); };
    if (arguments[1] == "read") {
        time([&] { read(); });
    } else {
        const auto matrix = read();
        time([&] { snack::io::write_matrix_market(ctx, arguments[2] + ".copy", matrix); });
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run({arguments, arguments + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
