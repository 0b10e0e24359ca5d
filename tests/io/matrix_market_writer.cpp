// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is written is read again with the same bits.

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <snack/io/matrix_market_writer.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/same_bits.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

template <class T>
CooMatrix<T> matrix_of(Size rows, Size columns, const std::vector<Index>& row, const std::vector<Index>& column,
                       const std::vector<T>& values) {
    return CooMatrix<T>(CooView<T>{rows, columns, row, column, values});
}

}  // namespace

TEST_CASE("entries are written in canonical order with as few digits as name them", "[io][matrix_market]") {
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 2});
    const auto matrix = matrix_of<float>(2, 5, {1, 0, 1}, {3, 4, 0}, {-3, 0.1f, 1e-10f});

    io::write_matrix_market(ctx, folder.file("a.mtx"), matrix);

    CHECK(tests::read_file(folder.file("a.mtx")) ==
          "%%MatrixMarket matrix coordinate real general\n2 5 3\n1 5 0.1\n2 1 1e-10\n2 4 -3\n");
    CHECK(folder.files() == 1);
}

TEMPLATE_TEST_CASE("numbers of every kind come back with the same bits", "[io][matrix_market]", float, double) {
    using Limits = std::numeric_limits<TestType>;
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const std::vector<TestType> values{0,
                                       static_cast<TestType>(-0.0),
                                       Limits::denorm_min(),
                                       -Limits::denorm_min(),
                                       Limits::min() - Limits::denorm_min(),
                                       Limits::min(),
                                       Limits::max(),
                                       Limits::lowest(),
                                       Limits::infinity(),
                                       -Limits::infinity(),
                                       Limits::epsilon(),
                                       TestType{1} / 3,
                                       static_cast<TestType>(1e22),
                                       static_cast<TestType>(16777217)};
    std::vector<Index> columns(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        columns[i] = static_cast<Index>(i);
    }
    const auto matrix = matrix_of<TestType>(1, 14, std::vector<Index>(14, 0), columns, values);

    io::write_matrix_market(ctx, folder.file("a.mtx"), matrix);
    const auto read = io::read_matrix_market<TestType>(ctx, io::FileSource(folder.file("a.mtx")));

    CHECK(tests::same_bits<TestType>(read.values(), matrix.values()));
    CHECK(same_coordinates(*read.topology(), *matrix.topology()));
}

TEST_CASE("NaN comes back as NaN of the same sign, without its payload", "[io][matrix_market]") {
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 1});
    const double payload = std::nan("12345");
    const auto matrix = matrix_of<double>(1, 2, {0, 0}, {0, 1}, {payload, -payload});

    io::write_matrix_market(ctx, folder.file("a.mtx"), matrix);
    const auto read = io::read_matrix_market<double>(ctx, io::FileSource(folder.file("a.mtx")));

    CHECK(tests::contains(tests::read_file(folder.file("a.mtx")), "1 1 nan\n1 2 -nan\n"));
    CHECK(std::isnan(read.values()[0]));
    CHECK(std::isnan(read.values()[1]));
    CHECK_FALSE(std::signbit(read.values()[0]));
    CHECK(std::signbit(read.values()[1]));
}

TEMPLATE_TEST_CASE("random bits come back, and the bytes do not depend on the threads", "[io][matrix_market]", float,
                   double) {
    const tests::ScratchFolder folder;
    std::mt19937_64 dice(3);
    const Size rows = 300;
    const Size columns = 70;  // several blocks of text
    Buffer<Size> cells(rows * columns);
    Buffer<TestType> values(rows * columns);
    for (Size i = 0; i < cells.size(); ++i) {
        cells[i] = i;
        do {
            const std::uint64_t bits = dice();
            std::memcpy(&values[i], &bits, sizeof(TestType));
        } while (std::isnan(values[i]));
    }
    const CooMatrix<TestType> matrix(Topology::from_cells(rows, columns, std::as_const(cells).span()),
                                     std::move(values));
    std::string first;
    for (const int threads : {1, 2, 3}) {
        HostContext ctx({.threads = threads});

        io::write_matrix_market(ctx, folder.file("a.mtx"), matrix);
        const auto read = io::read_matrix_market<TestType>(ctx, io::FileSource(folder.file("a.mtx")));

        CHECK(tests::same_bits<TestType>(read.values(), matrix.values()));
        CHECK(same_coordinates(*read.topology(), *matrix.topology()));
        const std::string bytes = tests::read_file(folder.file("a.mtx"));
        first = threads == 1 ? bytes : first;
        CHECK(bytes == first);
    }
}

TEST_CASE("matrices without entries, rows or columns are written and read", "[io][matrix_market]") {
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 1});
    for (const auto& [rows, columns] : {std::pair<Size, Size>{3, 4}, {0, 4}, {4, 0}, {0, 0}}) {
        io::write_matrix_market(ctx, folder.file("a.mtx"), matrix_of<float>(rows, columns, {}, {}, {}));
        const auto read = io::read_matrix_market<float>(ctx, io::FileSource(folder.file("a.mtx")));

        CHECK(read.out_features() == rows);
        CHECK(read.in_features() == columns);
        CHECK(read.nnz() == 0);
    }
    io::write_matrix_market(ctx, folder.file("a.mtx"), CooMatrix<float>());
    CHECK(io::read_matrix_market<float>(ctx, io::FileSource(folder.file("a.mtx"))).nnz() == 0);
}

TEST_CASE("a dense matrix is written column by column, in either layout", "[io][matrix_market]") {
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 1});
    std::vector<float> values{1, 3, 5, -1, 2, 4, 6, -1};
    const MatrixView<float> view(values.data(), 2, 3, Layout::row_major, 4);

    io::write_matrix_market_array(ctx, folder.file("a.mtx"), view);
    const auto read = io::read_matrix_market_array<float>(ctx, io::FileSource(folder.file("a.mtx")));

    CHECK(tests::read_file(folder.file("a.mtx")) ==
          "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
    CHECK(std::vector<float>(read.values.begin(), read.values.end()) == std::vector<float>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("a file that cannot be written is an error", "[io][matrix_market]") {
    const tests::ScratchFolder folder;
    HostContext ctx({.threads = 1});

    REQUIRE_THROWS_AS(io::write_matrix_market(ctx, folder.file("no/such/a.mtx"), CooMatrix<float>()), FileError);
}
