// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// .npy files are written as NumPy writes them, and read again.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <snack/io/npy.hpp>
#include <snack/io/npy_writer.hpp>
#include <tests/io/npy_bytes.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/support/catch.hpp>

using namespace snack;

TEST_CASE("the bytes are those that NumPy writes", "[io][npy]") {
    const tests::ScratchFolder folder;
    const std::vector<float> values{1, 2, 3, 4, 5, 6};

    io::write_npy(folder.file("a.npy"), {2, 3}, std::span(values));

    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    CHECK(tests::read_file(folder.file("a.npy")) ==
          tests::npy_file(dictionary + std::string(117 - dictionary.size(), ' ') + "\n",
                          tests::bytes_of_numbers(values)));
    CHECK(folder.files() == 1);
}

TEST_CASE("elements begin at a multiple of 64 bytes, whatever the shape", "[io][npy]") {
    for (const std::vector<Size>& shape :
         std::vector<std::vector<Size>>{{}, {0}, {1}, {6}, {2, 3}, {1234567, 0, 89}, std::vector<Size>(32, 1)}) {
        const std::string header = io::detail::npy_header(io::DType::F32, shape);

        CHECK(header.size() % 64 == 0);
        CHECK(header.back() == '\n');
        CHECK(static_cast<std::size_t>(static_cast<unsigned char>(header[8]) + 256 * header[9]) == header.size() - 10);
    }
}

namespace {

template <class T>
void check_round_trip(const std::vector<T>& values, const std::vector<Size>& shape) {
    const tests::ScratchFolder folder;

    io::write_npy(folder.file("a.npy"), shape, std::span(values));
    const io::FileSource source(folder.file("a.npy"));
    const io::NpyHeader header = io::read_npy_header(source);

    CHECK(header.dtype == io::dtype_of<T>());
    CHECK(header.shape == shape);
    CHECK_FALSE(header.fortran_order);
    CHECK_FALSE(header.big_endian);
    CHECK(tests::read_file(folder.file("a.npy")).substr(static_cast<std::size_t>(header.data_offset)) ==
          tests::bytes_of_numbers(values));
}

}  // namespace

TEST_CASE("arrays of every type and shape come back", "[io][npy]") {
    check_round_trip<double>({-0.0, std::numeric_limits<double>::denorm_min(), 1e300, 7}, {2, 2});
    check_round_trip<float>({-0.0f, std::numeric_limits<float>::infinity()}, {2});
    check_round_trip<std::int8_t>({-1}, {});
    check_round_trip<std::int16_t>({-1, 2}, {1, 2, 1});
    check_round_trip<std::int32_t>({}, {0});
    check_round_trip<std::int64_t>({}, {5, 0});
    check_round_trip<std::uint8_t>({255}, {1});
    check_round_trip<std::uint16_t>({255}, {1});
    check_round_trip<std::uint32_t>({255}, {1});
    check_round_trip<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()}, {1, 1});
}

TEST_CASE("a matrix is written in C order from either layout, without what lies between its lines", "[io][npy]") {
    const tests::ScratchFolder folder;
    std::vector<float> memory(3 * 700);
    for (std::size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<float>(i);
    }
    const MatrixView<float> by_row(memory.data(), 3, 600, Layout::row_major, 700);
    const MatrixView<float> by_column(memory.data(), 600, 3, Layout::column_major, 700);

    io::write_npy(folder.file("row.npy"), by_row);
    io::write_npy(folder.file("column.npy"), by_column);

    const auto rows = io::read_npy<float>(io::FileSource(folder.file("row.npy")));
    const auto columns = io::read_npy<float>(io::FileSource(folder.file("column.npy")));
    REQUIRE(rows.rows == 3);
    REQUIRE(columns.rows == 600);
    bool same = true;
    for (Size i = 0; i < 3; ++i) {
        for (Size j = 0; j < 600; ++j) {
            same = same && rows.view()(i, j) == by_row(i, j) && columns.view()(j, i) == by_column(j, i);
        }
    }
    CHECK(same);
}

TEST_CASE("a shape that needs another number of elements is refused", "[io][npy]") {
    const tests::ScratchFolder folder;
    const std::vector<float> values(6);
    for (const std::vector<Size>& shape :
         std::vector<std::vector<Size>>{{2, 2}, {}, {-2, -3}, {4294967296, 4294967296}, std::vector<Size>(33, 1)}) {
        REQUIRE_THROWS_AS(io::write_npy(folder.file("a.npy"), shape, std::span(values)), ShapeError);
    }
    CHECK(folder.files() == 0);
}
