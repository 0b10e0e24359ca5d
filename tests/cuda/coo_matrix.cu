// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Entries in device memory in any order become canonical there: the same topology, permutation and errors as
// on the host. The cases A1, A2, A3 and A26 of hostile input.

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <snack/backends/coo_segmented.cuh>
#include <snack/sparse/cuda_coo_matrix.cuh>
#include <tests/cuda/cases/failures.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>
#include <tests/support/throws.hpp>

using namespace tests;

namespace {

/// Entries as a user holds them, on the host and on the device.
template <class T, class I>
struct Entries {
    Size out_features;
    Size in_features;
    std::vector<I> rows;
    std::vector<I> columns;
    std::vector<T> values;

    snack::CooMatrix<T> on_host() const {
        return snack::CooMatrix<T>(snack::CooView<T, I>{out_features, in_features, rows, columns, values});
    }
    snack::CudaCooMatrix<T> on_device(snack::CudaContext& ctx) const {
        const auto device_rows = upload(ctx, rows);
        const auto device_columns = upload(ctx, columns);
        const auto device_values = upload(ctx, values);
        return snack::CudaCooMatrix<T>(
            ctx, snack::CooView<T, I, CudaSpace>{out_features, in_features, device_rows.span(), device_columns.span(),
                                                 device_values.span()});
    }

private:
    template <class U>
    static snack::DeviceBuffer<U> upload(snack::CudaContext& ctx, const std::vector<U>& from) {
        auto to = ctx.allocate<U>(static_cast<Size>(from.size()));
        ctx.copy_from_host(std::span<const U>(from), to.span());
        return to;
    }
};

template <class T>
std::vector<T> copied(std::span<const T> array) {
    return {array.begin(), array.end()};
}

/// Whether host and device make the same of the entries.
template <class T, class I>
bool agree(snack::CudaContext& ctx, const Entries<T, I>& entries) {
    const auto want = entries.on_host();
    const auto matrix = entries.on_device(ctx);
    return snack::same_coordinates(*matrix.topology()->download(ctx), *want.topology()) &&
           tests::on_host<T>(ctx, matrix.values()) == copied(want.values()) &&
           tests::on_host<Size>(ctx, matrix.permutation()) == copied(want.permutation());
}

/// The same error with the same text on both.
template <class E, class T, class I>
bool fail_alike(snack::CudaContext& ctx, const Entries<T, I>& entries) {
    return text_of<E>([&] { entries.on_device(ctx); }) == text_of<E>([&] { entries.on_host(); });
}

/// A random pattern of `nnz` cells in random order.
template <class I>
Entries<float, I> shuffled(Size out_features, Size in_features, Size nnz) {
    const Pattern pattern = random_pattern("any", out_features, in_features, nnz);
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t e = 0; e < pattern.cells.size(); ++e) {
        order.emplace_back(snack::random_bits({7, 0, snack::Purpose::user, 0}, e), e);
    }
    std::sort(order.begin(), order.end());
    Entries<float, I> entries{out_features, in_features, {}, {}, numbers<float>(Data::random, 1, nnz)};
    for (const auto& [draw, e] : order) {
        entries.rows.push_back(static_cast<I>(pattern.row(e)));
        entries.columns.push_back(static_cast<I>(pattern.column(e)));
    }
    return entries;
}

}  // namespace

TEST_CASE("device entries in any order give the same layer, and gradients that follow them", "[gpu][canonical]") {
    using Entry = std::tuple<int, int, float>;
    snack::CudaContext ctx;
    const std::map<std::pair<int, int>, float> want_dw = {
        {{2, 0}, 3}, {{0, 1}, 10}, {{2, 2}, 300}, {{1, 1}, 20}, {{0, 0}, 1}};
    std::vector<Entry> order = {{0, 0, 16}, {0, 1, 2}, {1, 1, 8}, {2, 0, 1}, {2, 2, 4}};
    const std::vector<float> operands = {1, 10, 100, 1, 2, 3};
    auto memory = ctx.allocate<float>(12);  // x, dy, y, dx
    ctx.copy_from_host(std::span<const float>(operands), memory.span().first(6));
    int orders = 0;
    do {
        Entries<float, int> entries{3, 3, {}, {}, {}};
        for (const auto& [row, column, value] : order) {
            entries.rows.push_back(row);
            entries.columns.push_back(column);
            entries.values.push_back(value);
        }
        const auto matrix = entries.on_device(ctx);
        snack::SparseLinear<snack::CooSegmented, float> layer(ctx, matrix.topology(), matrix.values());
        float* const at = memory.data();

        layer.forward(ctx, {at, 1, 3}, {at + 6, 1, 3});
        layer.backward(ctx, {at, 1, 3}, {at + 3, 1, 3}, {at + 9, 1, 3});

        REQUIRE(on_host<float>(ctx, std::as_const(memory).span().subspan(6, 6)) ==
                std::vector<float>{36, 80, 401, 19, 18, 12});
        const auto permutation = on_host<Size>(ctx, matrix.permutation());
        const auto values = on_host<float>(ctx, std::as_const(layer).values());
        const auto gradients = on_host<float>(ctx, std::as_const(layer).gradients());
        for (std::size_t e = 0; e < 5; ++e) {
            const auto& [row, column, value] = order[static_cast<std::size_t>(permutation[e])];
            REQUIRE(values[e] == value);
            REQUIRE(gradients[e] == want_dw.at({row, column}));
        }
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    REQUIRE(orders == 120);
}

TEMPLATE_TEST_CASE("host and device make the same of any integer type", "[gpu][canonical]", std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
    using I = TestType;
    snack::CudaContext ctx;

    CHECK(agree(ctx, shuffled<I>(300, 200, 20'000)));
    CHECK(agree(ctx, shuffled<I>(7, 5, 35)));
    CHECK(agree(ctx, shuffled<I>(1, 1, 1)));
    CHECK(agree(ctx, Entries<float, I>{4, 3, {0, 0, 2, 3}, {0, 2, 1, 0}, {1, 2, 3, 4}}));
    CHECK(agree(ctx, Entries<float, I>{4, 3, {}, {}, {}}));
    CHECK(agree(ctx, Entries<float, I>{0, 5, {}, {}, {}}));
    CHECK(agree(ctx, Entries<float, I>{5, 0, {}, {}, {}}));
}

TEST_CASE("device coordinates do not wrap", "[gpu][canonical]") {
    snack::CudaContext ctx;

    CHECK(agree(ctx, Entries<float, int>{65537, 65536, {65536, 0, 32768}, {0, 0, 0}, {2, 1, 4}}));
    CHECK(agree(ctx, Entries<float, int>{3, 0x7fffffff, {2, 1}, {0x7ffffffe, 6}, {1, 2}}));
}

TEST_CASE("device entries given twice are an error that names the later one", "[gpu][canonical]") {
    using snack::TopologyError;
    snack::CudaContext ctx;
    const Entries<float, int> pair{1, 2, {0, 0}, {1, 1}, {2, 3}};

    CHECK(text_of<TopologyError>([&] { pair.on_device(ctx); }) == "canonicalize: entry 1 at (0, 1) is given twice");
    CHECK(fail_alike<TopologyError>(ctx, Entries<float, int>{3, 3, {2, 1, 2, 1}, {2, 0, 2, 0}, {1, 2, 3, 4}}));
}

TEST_CASE("hostile device coordinates are refused before they are narrowed", "[gpu][canonical]") {
    using snack::TopologyError;
    snack::CudaContext ctx;
    const auto refused = [&]<class I>(I bad) {
        const Entries<float, I> in_rows{4, 4, {0, bad}, {0, 0}, {1, 2}};
        const Entries<float, I> in_columns{4, 4, {0, 0}, {0, bad}, {1, 2}};
        return fail_alike<TopologyError>(ctx, in_rows) && fail_alike<TopologyError>(ctx, in_columns);
    };

    CHECK(refused(4));
    CHECK(refused(-1));
    CHECK(refused(std::numeric_limits<int>::min()));
    CHECK(refused(Size{2147483648}));
    CHECK(refused(Size{4294967296}));
    CHECK(refused(std::numeric_limits<Size>::min()));
    CHECK(refused(std::numeric_limits<Size>::max()));
    CHECK(refused(std::numeric_limits<std::uint32_t>::max()));
    CHECK(refused(std::uint64_t{1} << 63));
    CHECK(refused(std::numeric_limits<std::uint64_t>::max()));
    CHECK(text_of<TopologyError>([&] {
              Entries<float, Size>{4, 4, {0, 4294967296}, {0, 0}, {1, 2}}.on_device(ctx);
          }) == "canonicalize: entry 1 at (4294967296, 0) is outside a 4 x 4 matrix");
}

TEST_CASE("device arrays of wrong extents or in host memory are refused", "[gpu][canonical]") {
    using snack::ShapeError;
    snack::CudaContext ctx;

    CHECK(fail_alike<ShapeError>(ctx, Entries<float, int>{2, 2, {0, 1}, {0}, {1, 2}}));
    CHECK(fail_alike<ShapeError>(ctx, Entries<float, int>{-1, 2, {}, {}, {}}));
    CHECK_THROWS_AS((Entries<float, int>{2, 2, {0, 1}, {0, 1}, {1}}.on_device(ctx)), ShapeError);
    const std::vector<int> index = {0};
    const std::vector<float> value = {1};
    auto on_device = ctx.allocate<float>(1);
    const DeviceSpan<const int> foreign(index.data(), 1);
    const auto make = [&](DeviceSpan<const float> values) {
        return snack::CudaCooMatrix<float>(ctx, snack::CooView<float, int, CudaSpace>{1, 1, foreign, foreign, values});
    };
    CHECK(text_of<snack::ArgumentError>([&] { make(std::as_const(on_device).span()); }) ==
          "canonicalize: rows lies in host memory, the context takes memory of device 0");
    CHECK_THROWS_AS(make({value.data(), 1}), snack::ArgumentError);
}

TEST_CASE("sorting on the device takes 49 bytes an entry, entries in order 20", "[gpu][canonical][memory]") {
    const auto entries = shuffled<int>(1000, 1000, 200'000);
    const auto sorted = entries.on_host();
    const snack::Buffer<snack::Index> sorted_rows = sorted.topology()->rows();
    CountingAllocator accounts;
    CountingCudaAllocator allocator(&accounts);
    snack::CudaContext ctx({.allocator = &allocator});
    snack::CudaContext outside;  // for the coordinates
    const auto peak = [&](std::span<const int> rows, std::span<const int> columns) {
        auto device_rows = outside.allocate<int>(200'000);
        auto device_columns = outside.allocate<int>(200'000);
        outside.copy_from_host(rows, device_rows.span());
        outside.copy_from_host(columns, device_columns.span());
        accounts.peak_bytes = accounts.live_bytes;
        snack::canonicalize(ctx, 1000, 1000, std::as_const(device_rows).span(), std::as_const(device_columns).span());
        ctx.synchronize();
        return accounts.peak_bytes;
    };

    CHECK(peak(sorted_rows.span(), sorted.topology()->columns()) == 20 * 200'000 + 8 * 1001);
    CHECK(peak(entries.rows, entries.columns) <= 49 * 200'000);
}

TEST_CASE("a device matrix that cannot be made leaks nothing", "[gpu][canonical]") {
    CountingAllocator accounts;
    CountingCudaAllocator allocator(&accounts);
    snack::CudaContext ctx({.allocator = &allocator});
    const auto entries = shuffled<int>(30, 20, 200);

    const Size failures = fail_each_allocation(
        accounts, [&] { entries.on_device(ctx); }, [&](Size before) { return accounts.live_bytes == before; });

    CHECK(failures > 8);
    CHECK(accounts.live_bytes == ctx.scratch_bytes());
}
