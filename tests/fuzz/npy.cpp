// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as an .npy file: they are refused, or what they mean survives being written and read.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <snack/io/npy.hpp>
#include <snack/io/npy_writer.hpp>

using namespace snack;

namespace {

struct Sink {
    std::string bytes;
    void write(std::string_view more) { bytes += more; }
    void write(std::span<const std::byte> more) {
        bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
    }
};

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

bool refused(const io::Source& source, const io::Budget& budget) {
    try {
        io::read_npy_header(source, budget);
        return false;
    } catch (const Error&) {
        return true;
    }
}

/// All at once, row by row, and after being written: the same bits.
template <class T>
void check(const io::Source& source, const io::Budget& budget) {
    const auto matrix = io::read_npy<T>(source, budget);
    const io::Npy file(source, budget);
    Buffer<T> row(matrix.values.size() > 0 ? matrix.columns : 0);
    for (Size i = 0; i < matrix.rows && row.size() > 0; ++i) {
        file.read_rows(i, 1, row.span());
        require(std::memcmp(row.data(), matrix.values.data() + i * matrix.columns, row.span().size_bytes()) == 0);
    }
    Sink sink;
    io::detail::put_npy<Sink, T>(sink, matrix.view());
    const auto again = io::read_npy<T>(io::MemorySource(std::as_bytes(std::span(sink.bytes))));
    require(again.rows == matrix.rows && again.columns == matrix.columns);
    require(again.values.size() == 0 ||
            std::memcmp(again.values.data(), matrix.values.data(), matrix.values.span().size_bytes()) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const io::MemorySource source(std::as_bytes(std::span(data, size)));
    io::Budget budget;
    budget.header_bytes = 4096;
    if (!refused(source, budget)) {
        check<float>(source, budget);
        check<double>(source, budget);
    }
    return 0;
}
