// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every kernel of the library, to be compiled and never run: check.py looks at what the compiler says of them. A new
// backend is one more type in the list at the end.

#include <snack/backends/cusparse.cuh>
#include <snack/backends/dense_mask.cuh>
#include <snack/snack.cuh>
#include <tests/simt/vocabulary_kernels.hpp>

namespace {

using snack::CudaSpace;
using snack::Size;

/// All that a layer of this backend launches, in both layouts and for all batches: which kernels run is
/// decided at run time.
template <class Backend, class T>
void use_layer(snack::CudaContext& ctx) {
    snack::SparseLinear<Backend, T> layer(ctx, {.in_features = 3, .out_features = 2, .sparsity = 0.5});
    auto memory = ctx.allocate<T>(3);
    const snack::MatrixView<T, CudaSpace> x(memory.data(), 1, 3);
    const snack::MatrixView<T, CudaSpace> y(memory.data(), 1, 2);
    layer.forward(ctx, x, y, snack::Activation::relu);
    layer.backward(ctx, x, y, x);
    layer.backward(ctx, x, y);
}

/// What layers of all backends share: initialisers, optimisers and rewiring.
template <class T>
void use_training(snack::CudaContext& ctx) {
    using Layer = snack::SparseLinear<snack::CooSegmented, T>;
    Layer layer(ctx, {.in_features = 3, .out_features = 2, .sparsity = 0.5}, snack::KaimingNormal{});
    snack::Sgd sgd(ctx, layer);
    snack::Adam adam(ctx, layer);
    sgd.step(ctx, layer);
    adam.step(ctx, layer);
    const auto report = layer.rewire(ctx, snack::MagnitudePruner{}, snack::UniformGrower{});
    sgd.remap(ctx, report);
    adam.remap(ctx, report);
}

/// The pack words of the vocabulary, which must be vector accesses.
void use_packs(cudaStream_t stream) {
    float* floats = nullptr;
    double* doubles = nullptr;
    unsigned short* halves = nullptr;
    static_cast<void>(snack::simt::launch(stream, {}, tests::PackSum<float, 4>{floats, floats, floats}));
    static_cast<void>(snack::simt::launch(stream, {}, tests::PackSum<double, 2>{doubles, doubles, doubles}));
    static_cast<void>(snack::simt::launch(stream, {}, tests::PackSum<unsigned short, 8>{halves, halves, halves}));
}

template <class... Backends>
void use_all(snack::CudaContext& ctx) {
    (use_layer<Backends, float>(ctx), ...);
    (use_layer<Backends, double>(ctx), ...);
    use_training<float>(ctx);
    use_training<double>(ctx);
    use_packs(ctx.stream());
}

}  // namespace

void use_every_kernel(snack::CudaContext& ctx) {
    use_all<snack::CooAtomic, snack::CooSegmented, snack::CuSparse, snack::CudaDense, snack::CudaDenseMask>(ctx);
}
