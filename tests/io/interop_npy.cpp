// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One half of a conversation with NumPy and SciPy, whose other half is interop_npy.py: it puts files into the folder
// SNACK_INTEROP, and reads what is written beside them. Hidden, for alone there is nothing to read.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <snack/io/matrix_market_writer.hpp>
#include <snack/io/npy.hpp>
#include <snack/io/npy_writer.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

namespace {

template <class T>
void copy_npy(const io::Source& source, const std::string& to) {
    const auto matrix = io::read_npy<T>(source);
    io::write_npy(to, matrix.view());
}

void copy_matrix_market(HostContext& ctx, const io::Source& source, const std::string& to) {
    if (io::read_matrix_market_header(source).format == io::MatrixMarketHeader::Format::array) {
        io::write_matrix_market_array(ctx, to, io::read_matrix_market_array<double>(ctx, source).view());
    } else {
        io::write_matrix_market(ctx, to, io::read_matrix_market<double>(ctx, source));
    }
}

}  // namespace

TEST_CASE("interop: arrays and matrices are read and written", "[.interop]") {
    const char* folder = std::getenv("SNACK_INTEROP");
    REQUIRE(folder != nullptr);
    HostContext ctx({.threads = 2});
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        paths.push_back(entry.path());
    }
    for (const auto& path : paths) {
        const std::string name = path.string();
        CAPTURE(name);
        const io::FileSource source(name);
        if (path.extension() == ".npy") {
            copy_npy<double>(source, name + ".f8");
            copy_npy<float>(source, name + ".f4");
        } else {
            copy_matrix_market(ctx, source, name + ".back");
        }
    }
}
