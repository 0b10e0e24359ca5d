// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as a Matrix Market file: they are refused, or what they mean survives being written and read.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <snack/io/matrix_market_writer.hpp>

using namespace snack;

namespace {

void require_same(std::span<const double> a, std::span<const double> b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) {
        const bool no_number = std::isnan(a[i]) && std::isnan(b[i]) && std::signbit(a[i]) == std::signbit(b[i]);
        same = no_number || std::memcmp(&a[i], &b[i], sizeof(double)) == 0;
    }
    if (!same) {
        std::abort();
    }
}

/// What `read` returns, or nothing if the file is refused, as it may be.
template <class Read>
auto attempt(const Read& read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const Error&) {
        return std::nullopt;
    }
}

void check_array(HostContext& ctx, const io::Source& source, const io::Budget& budget) {
    const auto matrix = attempt([&] { return io::read_matrix_market_array<double>(ctx, source, budget); });
    if (matrix) {
        io::detail::TextSink sink;
        io::detail::put_matrix_market_array(ctx, sink, matrix->view());
        const io::MemorySource written(std::as_bytes(std::span(sink.text)));
        const auto again = io::read_matrix_market_array<double>(ctx, written);
        require_same(matrix->values.span(), again.values.span());
    }
}

void check_coordinate(HostContext& ctx, const io::Source& source, const io::Budget& budget) {
    const auto matrix = attempt([&] { return io::read_matrix_market<double>(ctx, source, budget); });
    if (matrix) {
        io::detail::TextSink sink;
        io::detail::put_matrix_market(ctx, sink, *matrix);
        const io::MemorySource written(std::as_bytes(std::span(sink.text)));
        const auto again = io::read_matrix_market<double>(ctx, written);
        require_same(matrix->values(), again.values());
        if (!same_coordinates(*matrix->topology(), *again.topology())) {
            std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static HostContext ctx({.threads = 1});
    const io::MemorySource source(std::as_bytes(std::span(data, size)));
    io::Budget budget;
    budget.line_bytes = 200;
    budget.features = 5000;
    const auto header = attempt([&] { return io::read_matrix_market_header(source, budget); });
    if (header && header->format == io::MatrixMarketHeader::Format::array) {
        check_array(ctx, source, budget);
    } else if (header) {
        check_coordinate(ctx, source, budget);
    }
    return 0;
}
