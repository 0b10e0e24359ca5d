// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as an .npy file: they are refused, or what they mean survives being written and read.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <snack/io/npy.hpp>
#include <snack/io/npy_writer.hpp>
#include <tests/fuzz/memory_file.hpp>

using namespace snack;

namespace {

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
        const T* wanted = matrix.values.data() + i * matrix.columns;
        fuzz::require_law(std::memcmp(row.data(), wanted, row.span().size_bytes()) == 0, "rows are those of the whole");
    }
    fuzz::MemoryFile written;
    io::detail::put_npy<fuzz::MemoryFile, T>(written, matrix.view());
    const auto again = io::read_npy<T>(*written.source());
    fuzz::require_law(again.rows == matrix.rows && again.columns == matrix.columns, "the shape comes back");
    const auto bytes = matrix.values.span().size_bytes();
    fuzz::require_law(bytes == 0 || std::memcmp(again.values.data(), matrix.values.data(), bytes) == 0,
                      "elements come back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto source = fuzz::source_of(data, size);
    io::Budget budget;
    budget.header_bytes = 4096;
    if (!refused(*source, budget)) {
        check<float>(*source, budget);
        check<double>(*source, budget);
    }
    return 0;
}
