// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One const layer serves many host threads at once, each with a context and a stream of its own: no hidden
// cache, handle or workspace, the first call included. And a busy neighbour changes no bit of a result.

#include <atomic>
#include <thread>

#include <tests/conformance/contract.hpp>
#include <tests/support/device_layer.cuh>
#include <tests/support/problem.hpp>

namespace tests {

/// W = diag(0, 1, 2, ...), x = t on thread t; each call has an output of its own.
template <class B, class T>
void many_streams_share_a_const_layer() {
    constexpr Size features = 64;
    constexpr Size calls = 1000;
    constexpr int threads = 8;
    const Pattern pattern = pattern_of("diagonal", features, features, [](Size i, Size j) { return i == j; });
    std::vector<T> values(features);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(i);
    }
    snack::CudaContext making;
    const snack::SparseLinear<B, T> layer(making, matrix_of(pattern, values));
    making.synchronize();
    struct Stream {
        snack::CudaContext ctx = {};
        snack::DeviceBuffer<T> x = ctx.template allocate<T>(features);
        snack::DeviceBuffer<T> y = ctx.template allocate<T>(calls * features);
    };
    std::vector<Stream> streams(threads);  // made here: initcheck takes what threads fill at once for not filled
    for (int t = 0; t < threads; ++t) {
        Stream& stream = streams[static_cast<std::size_t>(t)];
        stream.ctx.fill(stream.x.span(), static_cast<T>(t));
        stream.ctx.fill(stream.y.span(), -1);
    }
    std::atomic<int> waiting{threads};
    std::vector<Size> wrong(threads, -1);
    const auto work = [&](int t) {
        auto& [ctx, x, y] = streams[static_cast<std::size_t>(t)];
        for (--waiting; waiting > 0;) {
        }
        for (Size call = 0; call < calls; ++call) {
            layer.forward(ctx, {x.data(), 1, features}, {y.data() + call * features, 1, features});
        }
        const auto results = on_host<T>(ctx, std::as_const(y).span());
        Size faults = 0;
        for (std::size_t i = 0; i < results.size(); ++i) {
            faults += results[i] != static_cast<T>(i % features) * static_cast<T>(t);
        }
        wrong[static_cast<std::size_t>(t)] = faults;
    };
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
        running.emplace_back(work, t);
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    CHECK(wrong == std::vector<Size>(threads, 0));
}

/// w_j = (-1)^j 2^(j mod 24) for 4096 j, whose sum is -950730695.
template <class T>
std::vector<T> cancelling_numbers(ExactSum& exact) {
    std::vector<T> numbers(4096);
    for (std::size_t j = 0; j < numbers.size(); ++j) {
        numbers[j] = static_cast<T>((j % 2 == 0 ? 1 : -1) * (1 << j % 24));
        exact.add(numbers[j]);
    }
    return numbers;
}

/// Adds to every element, to keep a device busy.
struct AddOne {
    float* to;
    SNACK_HOST_DEVICE void operator()(Size i) const { to[i] += 1; }
};

/// The results of a hundred calls, each of one element, while another stream works.
template <class T, class Call>
std::vector<T> results_beside_other_work(snack::CudaContext& ctx, const Call& call) {
    constexpr Size calls = 100;
    constexpr Size neighbours = Size{1} << 24;
    snack::CudaContext other;
    auto neighbour = other.allocate<float>(neighbours);
    auto results = ctx.allocate<T>(calls);
    other.fill(neighbour.span(), 0);
    for (Size i = 0; i < calls; ++i) {
        other.for_each_index(neighbours, AddOne{neighbour.data()});
        call(results.data() + i);
    }
    other.synchronize();
    return on_host<T>(ctx, std::as_const(results).span());
}

/// A sum with much cancellation as y, as dx and as dw: near the exact value, and the same bits each time
/// where the backend promises that.
template <class B, class T>
void sums_repeat_beside_other_work() {
    constexpr Size n = 4096;
    ExactSum exact;
    const std::vector<T> numbers = cancelling_numbers<T>(exact);
    REQUIRE(exact.value == -950730695);
    const auto always = [](Size, Size) { return true; };
    snack::CudaContext ctx;
    snack::SparseLinear<B, T> row(ctx, matrix_of(pattern_of("row", 1, n, always), numbers));
    snack::SparseLinear<B, T> column(ctx, matrix_of(pattern_of("column", n, 1, always), numbers));
    snack::SparseLinear<B, T> cell(ctx, matrix_of<T>(pattern_of("cell", 1, 1, always), {1}));
    auto ones = ctx.allocate<T>(n + 1);
    auto terms = ctx.allocate<T>(n);
    ctx.fill(ones.span(), 1);
    ctx.copy_from_host(std::span<const T>(numbers), terms.span());
    const auto holds = [&](const std::vector<T>& results) {
        for (const T result : results) {
            CHECK(std::fabs(static_cast<long double>(result) - exact.value) <= strict_bound<T>(exact));
        }
        const bool repeats = conformance::same_bits(results, std::vector<T>(results.size(), results[0]));
        CHECK((repeats || B::determinism == snack::Determinism::not_guaranteed));
    };
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        holds(results_beside_other_work<T>(ctx, [&](T* y) {
            row.forward(ctx, {ones.data(), 1, n, layout}, {y, 1, 1, layout});
        }));
        holds(results_beside_other_work<T>(ctx, [&](T* dx) {
            column.backward(ctx, {ones.data(), 1, 1, layout}, {ones.data() + 1, 1, n, layout}, {dx, 1, 1, layout});
        }));
        holds(results_beside_other_work<T>(ctx, [&](T* dw) {
            cell.backward(ctx, {terms.data(), n, 1, layout}, {ones.data(), n, 1, layout});
            ctx.copy(std::as_const(cell).gradients(), DeviceSpan<T>(dw, 1));
        }));
    }
}

}  // namespace tests
