// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays of .npy files become rows of numbers, whatever type, order and byte order they have.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <snack/io/npy.hpp>
#include <tests/io/npy_bytes.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::bytes_of_numbers;
using tests::contains;
using tests::npy_dictionary;
using tests::npy_file;
using tests::text_of;
using tests::TextSource;

namespace {

template <class T>
struct Read {
    Size rows = 0;
    Size columns = 0;
    std::vector<T> values;
    bool operator==(const Read&) const = default;
};

template <class T = double>
Read<T> read(const std::string& file) {
    const auto matrix = io::read_npy<T>(TextSource(file));
    return {matrix.rows, matrix.columns, {matrix.values.begin(), matrix.values.end()}};
}

const std::vector<double> six{1, 2, 3, 4, 5, 6};

}  // namespace

TEST_CASE("an array in C order is read row by row", "[io][npy]") {
    CHECK(read(npy_file(npy_dictionary("<f8", "(2, 3)"), bytes_of_numbers(six))) == Read<double>{2, 3, six});
}

TEST_CASE("an array in Fortran order is turned", "[io][npy]") {
    CHECK(read(npy_file(npy_dictionary("<f8", "(2, 3)", true), bytes_of_numbers(six))) ==
          Read<double>{2, 3, {1, 3, 5, 2, 4, 6}});
}

TEST_CASE("dimensions beyond the second are columns in C order", "[io][npy]") {
    std::vector<double> numbers(24);
    std::vector<double> wanted(24);
    for (Size i = 0; i < 2; ++i) {
        for (Size j = 0; j < 3; ++j) {
            for (Size k = 0; k < 4; ++k) {
                numbers[static_cast<std::size_t>(i + 2 * j + 6 * k)] = static_cast<double>(100 * i + 10 * j + k);
                wanted[static_cast<std::size_t>(12 * i + 4 * j + k)] = static_cast<double>(100 * i + 10 * j + k);
            }
        }
    }

    CHECK(read(npy_file(npy_dictionary("<f8", "(2, 3, 4)", true), bytes_of_numbers(numbers))) ==
          Read<double>{2, 12, wanted});
    CHECK(read(npy_file(npy_dictionary("<f8", "(2, 3, 4)"), bytes_of_numbers(wanted))) == Read<double>{2, 12, wanted});
}

TEST_CASE("vectors have one column, single elements one row", "[io][npy]") {
    CHECK(read(npy_file(npy_dictionary("<f8", "(6,)"), bytes_of_numbers(six))) == Read<double>{6, 1, six});
    CHECK(read(npy_file(npy_dictionary("<f8", "()"), bytes_of_numbers<double>({7}))) == Read<double>{1, 1, {7}});
    CHECK(read(npy_file(npy_dictionary("<f8", "(6,)", true), bytes_of_numbers(six))) == Read<double>{6, 1, six});
}

TEST_CASE("arrays may be empty", "[io][npy]") {
    CHECK(read(npy_file(npy_dictionary("<f8", "(0,)"), "")) == Read<double>{0, 1, {}});
    CHECK(read(npy_file(npy_dictionary("<f8", "(3, 0)"), "")) == Read<double>{3, 0, {}});
    CHECK(read(npy_file(npy_dictionary("<f8", "(3, 0)", true), "")) == Read<double>{3, 0, {}});
    CHECK(read(npy_file(npy_dictionary("<f8", "(0, 4294967296)"), "")) == Read<double>{0, 4294967296, {}});
}

TEST_CASE("versions 2 and 3 have longer lengths", "[io][npy]") {
    const Read<double> wanted{2, 3, six};

    CHECK(read(npy_file(npy_dictionary("<f8", "(2, 3)"), bytes_of_numbers(six), 2)) == wanted);
    CHECK(read(npy_file(npy_dictionary("<f8", "(2, 3)"), bytes_of_numbers(six), 3)) == wanted);
    const std::string long_one = std::string(70'000, ' ') + npy_dictionary("<f8", "(2, 3)");
    CHECK(read(npy_file(long_one, bytes_of_numbers(six), 2)) == wanted);
}

TEST_CASE("the other byte order is turned round", "[io][npy]") {
    CHECK(read<float>(npy_file(npy_dictionary(">f4", "(1,)"), std::string("\x3f\x80\x00\x00", 4))) ==
          Read<float>{1, 1, {1}});
    CHECK(read(npy_file(npy_dictionary(">f8", "(2, 3)"), bytes_of_numbers(six, true))).values == six);
    CHECK(read(npy_file(npy_dictionary(">i2", "(3,)"), std::string("\x00\x01\xff\xff\x7f\xff", 6))).values ==
          std::vector<double>{1, -1, 32767});
    CHECK(read(npy_file(npy_dictionary(">u1", "(2,)"), std::string("\x01\xff", 2))).values ==
          std::vector<double>{1, 255});
}

TEMPLATE_TEST_CASE("every number type is read", "[io][npy]", float, double) {
    const auto values = [](const std::string& descr, const std::string& data) {
        return read<TestType>(npy_file(npy_dictionary(descr, "(3,)"), data)).values;
    };
    using Values = std::vector<TestType>;

    CHECK(values("<f8", bytes_of_numbers<double>({1, -0.5, 1e30})) == Values{1, -0.5, static_cast<TestType>(1e30)});
    CHECK(values("<f4", bytes_of_numbers<float>({1, -0.5, 1e30f})) == Values{1, -0.5, static_cast<TestType>(1e30f)});
    CHECK(values("<f2", bytes_of_numbers<std::uint16_t>({0x3c00, 0x8001, 0x7bff})) ==
          Values{1, static_cast<TestType>(-0x1p-24), 65504});
    CHECK(values("<i8", bytes_of_numbers<std::int64_t>({1, -2, 1L << 40})) == Values{1, -2, 0x1p40});
    CHECK(values("<i4", bytes_of_numbers<std::int32_t>({1, -2, 1 << 30})) == Values{1, -2, 0x1p30});
    CHECK(values("<i2", bytes_of_numbers<std::int16_t>({1, -2, 1 << 14})) == Values{1, -2, 0x1p14});
    CHECK(values("|i1", bytes_of_numbers<std::int8_t>({1, -2, 127})) == Values{1, -2, 127});
    CHECK(values("<u8", bytes_of_numbers<std::uint64_t>({1, 2, 1ul << 63})) == Values{1, 2, 0x1p63});
    CHECK(values("<u4", bytes_of_numbers<std::uint32_t>({1, 2, 1u << 31})) == Values{1, 2, 0x1p31});
    CHECK(values("<u2", bytes_of_numbers<std::uint16_t>({1, 2, 1u << 15})) == Values{1, 2, 0x1p15});
    CHECK(values("|u1", bytes_of_numbers<std::uint8_t>({1, 2, 255})) == Values{1, 2, 255});
    CHECK(values("|b1", bytes_of_numbers<std::uint8_t>({1, 0, 1})) == Values{1, 0, 1});
    CHECK(values("=f4", bytes_of_numbers<float>({1, 2, 3})) == Values{1, 2, 3});
}

TEST_CASE("bits of numbers of the same type stay as they are", "[io][npy]") {
    const std::vector<std::uint32_t> bits{0x80000000, 0x00000001, 0x7f800000, 0xff800000, 0x7fc12345, 0x7f812345};

    for (const bool swapped : {false, true}) {
        const auto values =
            read<float>(npy_file(npy_dictionary(swapped ? ">f4" : "<f4", "(6,)"), bytes_of_numbers(bits, swapped)))
                .values;
        CHECK(bytes_of_numbers(values) == bytes_of_numbers(bits));
    }
}

TEST_CASE("rows are read in parts, in any order, of any layout", "[io][npy]") {
    const Size rows = 5000;  // more than a piece of a Fortran array
    const Size columns = 3;
    std::vector<float> by_row;
    std::vector<float> by_column(static_cast<std::size_t>(rows * columns));
    for (Size row = 0; row < rows; ++row) {
        for (Size column = 0; column < columns; ++column) {
            by_row.push_back(static_cast<float>(10 * row + column));
            by_column[static_cast<std::size_t>(column * rows + row)] = by_row.back();
        }
    }
    for (const bool fortran : {false, true}) {
        for (const bool swapped : {false, true}) {
            const TextSource source(npy_file(npy_dictionary(swapped ? ">f4" : "<f4", "(5000, 3)", fortran),
                                             bytes_of_numbers(fortran ? by_column : by_row, swapped)));
            const io::Npy file(source);
            std::vector<double> some(static_cast<std::size_t>(2100 * columns));

            for (const Size first : {2900, 0, 5}) {
                file.read_rows(first, 2100, std::span(some));
                CHECK(std::equal(some.begin(), some.end(), by_row.begin() + first * columns));
            }
            file.read_rows(5000, 0, std::span<double>());
        }
    }
}

TEST_CASE("a Fortran array of few rows and many columns is read a few columns at a time", "[io][npy]") {
    const Size columns = 3001;
    std::vector<std::int16_t> by_column;
    for (Size i = 0; i < 3 * columns; ++i) {
        by_column.push_back(static_cast<std::int16_t>(i));
    }
    const TextSource source(npy_file(npy_dictionary("<i2", "(3, 3001)", true), bytes_of_numbers(by_column)));
    const io::Npy file(source);
    for (const auto& [first, count] : {std::pair<Size, Size>{0, 3}, {1, 2}, {2, 1}}) {
        std::vector<float> to(static_cast<std::size_t>(count * columns));

        file.read_rows(first, count, std::span(to));

        bool right = true;
        for (Size row = 0; row < count; ++row) {
            for (Size column = 0; column < columns; ++column) {
                right = right && to[static_cast<std::size_t>(row * columns + column)] ==
                                     static_cast<float>(3 * column + first + row);
            }
        }
        CHECK(right);
    }
}

TEST_CASE("rows that an array has not are refused", "[io][npy]") {
    const TextSource source(npy_file(npy_dictionary("<f8", "(2, 3)"), bytes_of_numbers(six)));
    const io::Npy file(source);
    std::vector<double> to(6);
    const auto attempt = [&](Size first, Size count, std::size_t extent) {
        return text_of<ShapeError>([&] { file.read_rows(first, count, std::span(to).first(extent)); });
    };

    CHECK(attempt(1, 2, 6) == "Npy::read_rows: 2 rows from 1 on, text has 2");
    CHECK(attempt(-1, 1, 3) == "Npy::read_rows: 1 rows from -1 on, text has 2");
    CHECK(attempt(3, 0, 0) == "Npy::read_rows: 0 rows from 3 on, text has 2");
    CHECK(attempt(0, 1, 6) == "Npy::read_rows: span of 6 elements for 1 rows of 3");
    CHECK(attempt(0, std::numeric_limits<Size>::max(), 6) ==
          "Npy::read_rows: 9223372036854775807 rows from 0 on, text has 2");
}

TEST_CASE("rows of a large array are read without a second copy", "[io][npy]") {
    const std::size_t elements = std::size_t{1} << 20;
    for (const bool fortran : {false, true}) {
        const TextSource source(
            npy_file(npy_dictionary("<i4", "(1024, 1024)", fortran), std::string(4 * elements, '\1')));
        const io::Npy file(source);
        std::vector<float> to(elements);
        tests::reset_largest_new();

        file.read_rows(0, 1024, std::span(to));

        CHECK(tests::largest_new() == 0);
        CHECK(to[elements - 1] == 16843008.0f);
    }
}

TEST_CASE("dictionaries are read however Python may write them", "[io][npy]") {
    const std::string data = bytes_of_numbers(six);
    for (const std::string dictionary :
         {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
          "{'descr':'<f8','fortran_order':False,'shape':(2,3)}",
          "{\"shape\": (2, 3,), \"descr\": \"<f8\", \"fortran_order\": False}   \n",
          "  {  'fortran_order' :\tFalse ,\n'shape' : ( 2 , 3 ) , 'descr' : '<f8' , }\n\n",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L), }\n",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (0002, 3), }\n"}) {
        CAPTURE(dictionary);
        CHECK(read(npy_file(dictionary, data)) == Read<double>{2, 3, six});
    }
}
