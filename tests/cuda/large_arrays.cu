// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays of more than 2^31 bytes on a device: copies, and a layer whose coordinates and values take that much.

#include <numeric>

#include <snack/backends/coo_segmented.cuh>
#include <tests/cuda/cases/large.cuh>
#include <tests/support/catch.hpp>

using namespace tests;

namespace {

struct Ones {
    SNACK_HOST_DEVICE double operator()(const snack::RandomKey&, const snack::Connection&) const { return 1; }
};

/// Element i is i, as far as 32 bits hold it.
struct Count {
    std::uint32_t* to;
    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] = static_cast<std::uint32_t>(i); }
};

struct DiffersFromIndex {
    const std::uint32_t* elements;
    SNACK_HOST_DEVICE bool operator()(Size i) const { return elements[i] != static_cast<std::uint32_t>(i); }
};

bool counts(snack::CudaContext& ctx, const snack::DeviceBuffer<std::uint32_t>& array) {
    return snack::detail::find_first(ctx, array.size(), DiffersFromIndex{array.data()}) == array.size();
}

}  // namespace

TEST_CASE("copies pass 2^31 bytes", "[gpu][large]") {
    constexpr Size count = (Size{1} << 29) + 1025;  // 2^31 + 4100 bytes
    if (!have_memory(3 * 4 * count)) {
        return;
    }
    snack::CudaContext ctx;
    auto array = ctx.allocate<std::uint32_t>(count);
    auto second = ctx.allocate<std::uint32_t>(count);
    ctx.for_each_index(count, Count{array.data()});

    ctx.copy(std::as_const(array).span(), second.span());
    CHECK(counts(ctx, second));

    ctx.fill(second.span(), 0);
    second.copy_from(std::as_const(array).span());
    CHECK(counts(ctx, second));

    std::vector<std::uint32_t> on_host(static_cast<std::size_t>(count));
    ctx.copy_to_host(std::as_const(array).span(), std::span<std::uint32_t>(on_host));
    CHECK(on_host.back() == count - 1);
    ctx.fill(second.span(), 0);
    ctx.copy_from_host(std::span<const std::uint32_t>(on_host), second.span());
    CHECK(counts(ctx, second));

    // By one element, so that source and target overlap.
    const auto shifted = static_cast<std::size_t>(count - 1);
    ctx.fill(second.span(), 0);
    ctx.copy(std::as_const(array).span().first(shifted), array.span().subspan(1, shifted));
    ctx.copy(std::as_const(array).span().subspan(1, shifted), second.span().first(shifted));
    ctx.copy(std::as_const(array).span().first(1), second.span().subspan(shifted, 1));
    ctx.copy_to_host(std::as_const(second).span(), std::span<std::uint32_t>(on_host));
    CHECK(on_host[shifted - 1] == shifted - 1);
    CHECK(on_host[shifted] == 0);
}

TEST_CASE("a layer holds values and columns of more than 2^31 bytes", "[gpu][large]") {
    constexpr Size features = 24000;
    constexpr Size missing = 1000;
    constexpr Size nnz = features * features - missing;
    if (!have_memory(110 * nnz)) {
        return;
    }
    snack::CudaContext ctx;
    snack::SparseLinear<snack::CooSegmented, float> layer(
        ctx, {.in_features = features, .out_features = features, .nnz = nnz, .bias = false}, Ones{});
    auto x = ctx.allocate<float>(features);
    auto y = ctx.allocate<float>(features);
    ctx.fill(x.span(), 1);
    const auto sum_of_outputs = [&] {
        layer.forward(ctx, {x.data(), 1, features}, {y.data(), 1, features});
        const auto outputs = on_host<float>(ctx, std::as_const(y).span());
        return std::accumulate(outputs.begin(), outputs.end(), 0.0);
    };

    CHECK(layer.values().size_bytes() > std::size_t{1} << 31);
    CHECK(sum_of_outputs() == static_cast<double>(nnz));
    const auto report = layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});
    CHECK(report.dropped() == missing);
    CHECK(layer.topology()->free_cells() == missing);
    CHECK(sum_of_outputs() == static_cast<double>(nnz - missing));
}
