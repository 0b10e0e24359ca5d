// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The paper's kernels on entries in random order, as its own initialiser leaves them: the atomics of a warp
// then go to different rows. The library keeps entries sorted, so this order is a row of the tables alone.

#include <chrono>

#include <bench/gpu/method.cuh>
#include <snack/kernels/gpu/coo_atomic.hpp>
#include <snack/sparse/cuda_algorithms.cuh>
#include <snack/sparse/cuda_coo_matrix.cuh>

namespace bench::gpu {

/// to[order[i]] = from[i].
template <class T>
struct PermuteBack {
    const Size* order;
    const T* from;
    T* to;

    SNACK_HOST_DEVICE void operator()(Size i) const { to[order[i]] = from[i]; }
};

struct DrawOrder {
    std::uint32_t* keys;
    Size* order;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        const snack::RandomKey key{seed, 9, snack::Purpose::user, 0};
        keys[i] = static_cast<std::uint32_t>(snack::random_bits(key, static_cast<std::uint64_t>(i)));
        order[i] = i;
    }
};

class ShuffledCoo {
public:
    static constexpr const char* name = "CooAtomic_shuffled";
    static constexpr double operand_roundoff = 0;
    static bool offers(Operation operation, Size) { return operation != Operation::training_step; }
    static Size bytes_read(const Problem& problem) { return problem.nnz() * 12; }

    static double prepare_us(CudaContext& ctx, const Problem& problem, Operation operation) {
        ctx.synchronize();
        const auto start = std::chrono::steady_clock::now();
        const ShuffledCoo made(ctx, problem, operation);
        ctx.synchronize();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    }

    ShuffledCoo(CudaContext& ctx, const Problem& problem, Operation operation)
        : rows_(ctx.allocate<snack::Index>(problem.nnz())),
          columns_(ctx.allocate<snack::Index>(problem.nnz())),
          values_(ctx.allocate<float>(problem.nnz())),
          gradients_(ctx.allocate<float>(operation == Operation::forward ? 0 : problem.nnz())) {
        const DeviceBuffer<Size> order = random_order(ctx, problem.nnz());
        permute(ctx, order, problem.rows.data(), rows_);
        permute(ctx, order, problem.topology->columns().data(), columns_);
        permute(ctx, order, problem.values.data(), values_);
    }

    void restore(CudaContext&, const Problem&) {}

    void forward(CudaContext& ctx, Operands& at) { product(ctx, rows_, columns_, at.x(), at.y()); }
    void input_gradient(CudaContext& ctx, Operands& at) { product(ctx, columns_, rows_, at.dy(), at.dx()); }
    void weight_gradient(CudaContext& ctx, Operands& at) {
        const snack::kernels::gpu::CooOuterProduct<float> kernel{
            .nnz = rows_.size(),
            .batch = at.batch(),
            .rows = rows_.data(),
            .columns = columns_.data(),
            .x = snack::kernels::gpu::Activations<const float>(at.x()),
            .dy = snack::kernels::gpu::Activations<const float>(at.dy()),
            .dw = gradients_.data(),
            .beta = 0};
        ctx.launch(kernel, kernel.shape());
    }
    void backward(CudaContext& ctx, Operands& at) {
        input_gradient(ctx, at);
        weight_gradient(ctx, at);
    }
    void training_step(CudaContext&, Operands&) {}

    void copy_gradients(CudaContext& ctx, const Problem&, DeviceSpan<float> to) const {
        unshuffle(ctx, gradients_, to);
    }
    void copy_values(CudaContext& ctx, const Problem&, DeviceSpan<float> to) const { unshuffle(ctx, values_, to); }

private:
    static DeviceBuffer<Size> random_order(CudaContext& ctx, Size nnz) {
        auto keys = ctx.allocate<std::uint32_t>(nnz);
        auto order = ctx.allocate<Size>(nnz);
        ctx.for_each_index(nnz, DrawOrder{keys.data(), order.data()});
        snack::detail::sort_pairs(ctx, keys, order, 32);
        return order;
    }

    template <class T>
    static void permute(CudaContext& ctx, const DeviceBuffer<Size>& order, const T* from, DeviceBuffer<T>& to) {
        ctx.for_each_index(order.size(), snack::detail::Permute<T>{from, order.data(), to.data()});
    }

    static void unshuffle(CudaContext& ctx, const DeviceBuffer<float>& from, DeviceSpan<float> to) {
        const DeviceBuffer<Size> order = random_order(ctx, from.size());
        ctx.for_each_index(from.size(), PermuteBack<float>{order.data(), from.data(), to.data()});
    }

    void product(CudaContext& ctx, const DeviceBuffer<snack::Index>& to, const DeviceBuffer<snack::Index>& from,
                 const ConstView& in, const View& out) const {
        ctx.fill(DeviceSpan<float>(out.data(), static_cast<std::size_t>(out.batch() * out.features())), 0);
        const snack::kernels::gpu::CooAtomicProduct<float> kernel{
            .nnz = values_.size(),
            .batch = out.batch(),
            .to = to.data(),
            .from = from.data(),
            .values = values_.data(),
            .in = snack::kernels::gpu::Activations<const float>(in),
            .out = snack::kernels::gpu::Activations<float>(out)};
        ctx.launch(kernel, kernel.shape());
    }

    DeviceBuffer<snack::Index> rows_;
    DeviceBuffer<snack::Index> columns_;
    DeviceBuffer<float> values_;
    DeviceBuffer<float> gradients_;
};

}  // namespace bench::gpu
