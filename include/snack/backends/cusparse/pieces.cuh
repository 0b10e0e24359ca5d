// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Operands that cuSPARSE cannot index: it multiplies strides in 32 bits, without a word. Such ones pass
// through scratch space, some samples at a time, without gaps between their lines.

#include <snack/backends/cusparse/products.cuh>
#include <snack/kernels/gpu/activations.hpp>

namespace snack::inline v0::detail {

/// The scratch slots of CuSparse.
enum class CuSparseSlot : int { in, out };

/// Whether the library's 32-bit arithmetic reaches every element.
template <class T>
bool is_within_reach(const MatrixView<T, CudaSpace>& view) {
    const Size lines = view.layout() == Layout::row_major ? view.batch() : view.features();
    return is_vector(view) || lines * view.stride() < Size{1} << 31;
}

/// to(b, i) = from(b, i), for element number b * features + i.
template <class T>
struct CopyElement {
    kernels::gpu::Activations<const T> from;
    kernels::gpu::Activations<T> to;
    Size features;

    SNACK_HOST_DEVICE void operator()(Size i) const {
        to(i / features, i % features) = from(i / features, i % features);
    }
};

template <class T>
void copy_elements(CudaContext& ctx, const MatrixView<const T, CudaSpace>& from, const MatrixView<T, CudaSpace>& to) {
    ctx.for_each_index(to.batch() * to.features(), CopyElement<T>{kernels::gpu::Activations<const T>(from),
                                                                  kernels::gpu::Activations<T>(to), to.features()});
}

template <class T>
MatrixView<T, CudaSpace> samples_of(const MatrixView<T, CudaSpace>& view, Size first, Size count) {
    return {view.data() + first * view.sample_stride(), count, view.features(), view.layout(), view.stride()};
}

/// Calls body(first, samples, a, b) for pieces of the batch, with scratch space for that part of two operands.
template <class T, class Body>
void for_each_piece(CudaContext& ctx, Size batch, Size a_features, Size b_features, const Body& body) {
    constexpr Size most_elements = Size{1} << 28;
    const Size widest = a_features > b_features ? a_features : b_features;
    const Size at_once = widest < most_elements ? most_elements / widest : 1;
    const Size most = batch < at_once ? batch : at_once;
    T* const a = ctx.scratch<T>(static_cast<int>(CuSparseSlot::in), most * a_features).data();
    T* const b = ctx.scratch<T>(static_cast<int>(CuSparseSlot::out), most * b_features).data();
    for (Size first = 0; first < batch; first += most) {
        const Size samples = batch - first < most ? batch - first : most;
        body(first, samples, MatrixView<T, CudaSpace>(a, samples, a_features),
             MatrixView<T, CudaSpace>(b, samples, b_features));
    }
}

template <class T>
void product_in_pieces(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan& plan, bool transposed,
                       const T* values, const T* bias, const MatrixView<const T, CudaSpace>& in,
                       const MatrixView<T, CudaSpace>& out) {
    const T beta = bias == nullptr ? T{0} : T{1};
    for (const Step step : {Step::prepare, Step::run}) {
        for_each_piece<T>(
            ctx, out.batch(), in.features(), out.features(),
            [&](Size first, Size samples, const MatrixView<T, CudaSpace>& in_piece,
                const MatrixView<T, CudaSpace>& out_piece) {
                if (step == Step::run) {
                    copy_elements<T>(ctx, samples_of(in, first, samples), in_piece);
                    ctx.for_each_index(samples * out.features(), kernels::gpu::BroadcastBias<T>(out_piece, bias));
                }
                cusparse_matrix<T>(ctx, choice, plan, transposed, values, beta, in_piece, out_piece, step);
                if (step == Step::run) {
                    copy_elements<T>(ctx, out_piece, samples_of(out, first, samples));
                }
            });
    }
}

/// out(b, i) = bias[i] + sum_j op(W)(i, j) in(b, j), without bias if it is null.
template <class T>
void cusparse_product(CudaContext& ctx, const CuSparseChoice& choice, const CuSparsePlan& plan, bool transposed,
                      const T* values, const T* bias, const MatrixView<const T, CudaSpace>& in,
                      const MatrixView<T, CudaSpace>& out) {
    const auto begin_output = [&] {
        ctx.for_each_index(out.batch() * out.features(), kernels::gpu::BroadcastBias<T>(out, bias));
    };
    if (out.empty() || plan.topology().nnz() == 0) {
        begin_output();
        return;
    }
    const DeviceGuard guard(ctx.device(), choice.name);
    const T beta = bias == nullptr ? T{0} : T{1};
    if (!is_within_reach(in) || !is_within_reach(out)) {
        product_in_pieces(ctx, choice, plan, transposed, values, bias, in, out);
        return;
    }
    const auto multiply = [&](Step step) {
        if (is_vector(in) && is_vector(out)) {
            cusparse_vector(ctx, choice, plan, transposed, values, beta, in, out, step);
        } else {
            cusparse_matrix(ctx, choice, plan, transposed, values, beta, in, out, step);
        }
    };
    if (bias != nullptr) {
        multiply(Step::prepare);
        begin_output();
    }
    multiply(Step::run);
}

/// dw[e] = beta dw[e] + sum_b dy(b, row e) x(b, column e)
template <class T>
void cusparse_weight_gradient(CudaContext& ctx, const CuSparsePlan& plan, const MatrixView<const T, CudaSpace>& x,
                              const MatrixView<const T, CudaSpace>& dy, T* dw, T beta) {
    const Size nnz = plan.topology().nnz();
    if (nnz == 0) {
        return;
    }
    const DeviceGuard guard(ctx.device(), "CuSparse");
    if (x.batch() == 0) {
        ctx.for_each_index(nnz, kernels::gpu::ScaleElement<T>(MatrixView<T, CudaSpace>(dw, 1, nnz), beta));
    } else if (is_within_reach(x) && is_within_reach(dy)) {
        cusparse_sampled(ctx, plan, x, dy, dw, beta, Step::run);
    } else {
        for (const Step step : {Step::prepare, Step::run}) {
            for_each_piece<T>(ctx, x.batch(), x.features(), dy.features(),
                              [&](Size first, Size samples, const MatrixView<T, CudaSpace>& x_piece,
                                  const MatrixView<T, CudaSpace>& dy_piece) {
                                  if (step == Step::run) {
                                      copy_elements<T>(ctx, samples_of(x, first, samples), x_piece);
                                      copy_elements<T>(ctx, samples_of(dy, first, samples), dy_piece);
                                  }
                                  cusparse_sampled<T>(ctx, plan, x_piece, dy_piece, dw, first == 0 ? beta : T{1}, step);
                              });
        }
    }
}

}  // namespace snack::inline v0::detail
