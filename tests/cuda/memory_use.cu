// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What training holds on a device, by exact counts of bytes; and that a refused topology leaves nothing behind.

#include <fstream>

#include <unistd.h>

#include <snack/backends/coo_segmented.cuh>
#include <snack/nn/sgd.hpp>
#include <snack/sparse/cuda_coo_matrix.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_layer.cuh>

using namespace tests;

namespace {

/// Bytes in use in the current device's default pool, when all work is done.
Size pool_bytes() {
    cudaMemPool_t pool = nullptr;
    std::uint64_t used = 0;
    Staging::check(cudaDeviceSynchronize());
    Staging::check(cudaDeviceGetDefaultMemPool(&pool, 0));
    Staging::check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return static_cast<Size>(used);
}

/// Bytes that are free on the current device.
Size free_bytes() {
    std::size_t free = 0;
    std::size_t all = 0;
    Staging::check(cudaDeviceSynchronize());
    Staging::check(cudaMemGetInfo(&free, &all));
    return static_cast<Size>(free);
}

/// Bytes of host memory that the process occupies.
Size resident_bytes() {
    Size all = 0;
    Size resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

/// Runs call() many times; neither device nor host memory may grow by more than a block of a pool. Cases that
/// do so are tagged [alone]: what other processes and tools take counts too.
template <class Call>
void grows_nothing(int calls, const Call& call) {
    constexpr Size block = Size{32} << 20;
    call();
    const Size pool_before = pool_bytes();
    const Size free_before = free_bytes();
    const Size resident_before = resident_bytes();

    for (int i = 0; i < calls; ++i) {
        call();
    }

    CHECK(pool_bytes() == pool_before);
    CHECK(free_bytes() >= free_before - block);
    CHECK(resident_bytes() <= resident_before + block);
}

/// A handle of a library, which tells whether its context still held scratch space when it ended.
struct LibraryHandle {
    const CountingAllocator* accounts = nullptr;
    bool* ended_first = nullptr;

    explicit LibraryHandle(snack::CudaContext&) {}
    LibraryHandle(const LibraryHandle&) = delete;
    LibraryHandle& operator=(const LibraryHandle&) = delete;
    ~LibraryHandle() { *ended_first = accounts->live_bytes > 0; }
};

}  // namespace

TEST_CASE("an SGD step at 90 % sparsity holds at least 70 % less than a dense one", "[gpu][memory]") {
    constexpr Size features = 10000;
    constexpr Size batch = 4;
    constexpr Size dense = 2 * features * features * static_cast<Size>(sizeof(float));  // W and dW
    CountingAllocator accounts;
    CountingCudaAllocator allocator(&accounts);
    snack::CudaContext ctx({.allocator = &allocator});
    snack::CudaContext outside;  // for activations
    auto x = outside.allocate<float>(batch * features);
    auto y = outside.allocate<float>(batch * features);
    auto dx = outside.allocate<float>(batch * features);
    outside.fill(x.span(), 1);
    outside.synchronize();
    snack::SparseLinear<snack::CooSegmented, float> layer(
        ctx, {.in_features = features, .out_features = features, .sparsity = 0.9});
    snack::Sgd sgd(ctx, layer, {.learning_rate = 0.01});
    accounts.peak_bytes = accounts.live_bytes;

    for (int step = 0; step < 3; ++step) {
        layer.forward(ctx, {x.data(), batch, features}, {y.data(), batch, features});
        layer.backward(ctx, {x.data(), batch, features}, {y.data(), batch, features}, {dx.data(), batch, features});
        sgd.step(ctx, layer);
    }
    ctx.synchronize();

    CAPTURE(layer.memory().total(), ctx.scratch_bytes(), accounts.peak_bytes, dense);
    CHECK(accounts.live_bytes == layer.memory().total() + sgd.bytes() + ctx.scratch_bytes());
    CHECK(accounts.peak_bytes == accounts.live_bytes);
    CHECK(10 * accounts.peak_bytes <= 3 * dense);
}

TEST_CASE("ten thousand refused matrices leave nothing behind on host and device", "[gpu][alone]") {
    constexpr Size features = 10000;
    snack::CudaContext ctx;
    std::vector<Size> rows(10000);
    std::vector<Size> columns(10000);
    std::vector<Size> cells(10000);
    for (std::size_t e = 0; e < rows.size(); ++e) {
        rows[e] = columns[e] = static_cast<Size>(e);
        cells[e] = rows[e] * features + columns[e];
    }
    columns.back() = features;
    cells.back() = features * features;
    const std::vector<float> values(10000, 1);
    auto device_cells = ctx.allocate<Size>(10000);
    ctx.copy_from_host(std::span<const Size>(cells), device_cells.span());

    grows_nothing(10000, [&] {
        using Matrix = snack::CooMatrix<float>;
        CHECK_THROWS_AS(Matrix(snack::CooView<float, Size>{features, features, rows, columns, values}),
                        snack::TopologyError);
    });
    grows_nothing(10000, [&] {
        CHECK_THROWS_AS(snack::CudaTopology::from_cells(ctx, features, features, std::as_const(device_cells).span()),
                        snack::TopologyError);
    });
    auto device_rows = ctx.allocate<Size>(10000);
    auto device_columns = ctx.allocate<Size>(10000);
    auto device_values = ctx.allocate<float>(10000);
    ctx.copy_from_host(std::span<const Size>(rows), device_rows.span());
    ctx.copy_from_host(std::span<const Size>(columns), device_columns.span());
    const snack::CooView<float, Size, CudaSpace> entries{features, features, device_rows.span(), device_columns.span(),
                                                         device_values.span()};
    grows_nothing(10000, [&] { CHECK_THROWS_AS(snack::CudaCooMatrix<float>(ctx, entries), snack::TopologyError); });
}

TEST_CASE("layers that come and go leave nothing behind on the device", "[gpu][alone]") {
    grows_nothing(300, [] {
        snack::CudaContext ctx;
        snack::SparseLinear<snack::CooSegmented, float> layer(
            ctx, {.in_features = 1000, .out_features = 900, .sparsity = 0.9});
        layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{});
    });
}

TEST_CASE("a context ends its handles before its memory, also where another is assigned to it", "[gpu]") {
    CountingAllocator accounts;
    CountingCudaAllocator allocator(&accounts);
    for (const bool assigned : {false, true}) {
        bool ended_first = false;
        {
            snack::CudaContext ctx({.allocator = &allocator});
            ctx.scratch<float>(0, 10);
            auto& handle = ctx.handle<LibraryHandle>();
            handle.accounts = &accounts;
            handle.ended_first = &ended_first;
            if (assigned) {
                ctx = snack::CudaContext();
                CHECK(ctx.scratch_bytes() == 0);
            }
        }
        CHECK(ended_first);
        CHECK(accounts.live_bytes == 0);
    }
}
