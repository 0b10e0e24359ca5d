// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as a Matrix Market file: they are refused, or what they mean survives being written and read.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <snack/io/matrix_market_writer.hpp>
#include <tests/fuzz/memory_file.hpp>

using namespace snack;

namespace {

void require_same(const Buffer<double>& a, const Buffer<double>& b) {
    bool same = a.size() == b.size();
    for (Size i = 0; same && i < a.size(); ++i) {
        const bool no_number = std::isnan(a[i]) && std::isnan(b[i]) && std::signbit(a[i]) == std::signbit(b[i]);
        same = no_number || std::memcmp(&a[i], &b[i], sizeof(double)) == 0;
    }
    fuzz::require_law(same, "values come back");
}

/// What `read` returns, or the text of the error with which the file is refused, as it may be.
template <class Read>
auto attempt(const Read& read, std::string& error) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const Error& refusal) {
        error = refusal.what();
        return std::nullopt;
    }
}

/// The same in blocks of a few bytes: the same numbers, or the same error.
template <class Read>
auto attempt_in_blocks(const Read& read) {
    std::string error;
    std::string other;
    auto result = attempt([&] { return read(io::detail::usual_block); }, error);
    for (const Size block : {1, 3, 20}) {
        const auto again = attempt([&] { return read(block); }, other);
        fuzz::require_law(result.has_value() == again.has_value() && error == other, "blocks of any size agree");
        if (result) {
            require_same(result->values, again->values);
        }
    }
    return result;
}

void check_array(HostContext& ctx, const io::Source& source, const io::Budget& budget,
                 const io::MatrixMarketHeader& header) {
    const auto matrix = attempt_in_blocks([&](Size block) {
        io::DenseMatrix<double> to{header.rows, header.columns, Buffer<double>(header.rows * header.columns)};
        io::detail::MatrixMarketArrayReader<double>(source, budget, header, to.view(), block).read(ctx);
        return to;
    });
    if (matrix) {
        fuzz::MemoryFile written;
        io::detail::put_matrix_market_array(ctx, written, matrix->view());
        require_same(matrix->values, io::read_matrix_market_array<double>(ctx, *written.source()).values);
    }
}

struct Entries {
    TopologyPtr topology;
    Buffer<double> values;
};

Entries entries_of(const CooMatrix<double>& matrix) {
    Entries entries{matrix.topology(), Buffer<double>(matrix.nnz())};
    entries.values.copy_from(matrix.values());
    return entries;
}

void check_coordinate(HostContext& ctx, const io::Source& source, const io::Budget& budget) {
    const auto matrix = attempt_in_blocks([&](Size block) {
        return entries_of(io::detail::MatrixMarketReader<double>(source, budget, nullptr, block).read(ctx));
    });
    if (matrix) {
        fuzz::MemoryFile written;
        io::detail::put_matrix_market(ctx, written, CooMatrix<double>(matrix->topology, matrix->values.clone()));
        const Entries again = entries_of(io::read_matrix_market<double>(ctx, *written.source()));
        require_same(matrix->values, again.values);
        fuzz::require_law(same_coordinates(*matrix->topology, *again.topology), "coordinates come back");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static HostContext ctx({.threads = 1});
    const auto source = fuzz::source_of(data, size);
    io::Budget budget;
    budget.line_bytes = 200;
    budget.features = 5000;
    std::string error;
    const auto header = attempt([&] { return io::read_matrix_market_header(*source, budget); }, error);
    if (header && header->format == io::MatrixMarketHeader::Format::array) {
        check_array(ctx, *source, budget, *header);
    } else if (header) {
        check_coordinate(ctx, *source, budget);
    }
    return 0;
}
