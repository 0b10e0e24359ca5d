// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A layer on the device is saved as its copy on the host is, and training goes on from the file with the same bits.

#include <snack/backends/host.hpp>
#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <snack/snack.cuh>
#include <tests/io/scratch_folder.hpp>
#include <tests/support/catch.hpp>

namespace {

using DeviceLayer32 = snack::SparseLinear<snack::CooSegmented, float>;

/// Gradients that are the values, a step, and a rewire.
template <class Optimizer>
void train_step(snack::CudaContext& ctx, DeviceLayer32& layer, Optimizer& optimizer) {
    ctx.copy<float>(layer.values(), layer.gradients());
    ctx.copy<float>(layer.bias(), layer.bias_gradients());
    optimizer.step(ctx, layer);
    optimizer.remap(ctx, layer.rewire(ctx, snack::MagnitudePruner{0.3}, snack::UniformGrower{}));
}

template <class Layer, class Context>
std::string saved_bytes(Context& ctx, const Layer& layer) {
    const tests::ScratchFolder folder;
    snack::io::LayerFileWriter writer;
    writer.add(ctx, "l", layer);
    writer.write(folder.file("net"));
    return tests::read_file(folder.file("net"));
}

template <class Optimizer, class Options>
void require_exact_resume(const Options& options) {
    const tests::ScratchFolder folder;
    snack::CudaContext ctx;
    DeviceLayer32 layer(ctx, {.in_features = 210, .out_features = 170, .sparsity = 0.9, .seed = 5, .stream = 6});
    ctx.fill(layer.bias(), 0.5f);
    Optimizer optimizer(ctx, layer, options);
    train_step(ctx, layer, optimizer);
    snack::io::LayerFileWriter half;
    half.add(ctx, "l", layer, optimizer);
    half.write(folder.file("half"));
    train_step(ctx, layer, optimizer);
    snack::io::LayerFileWriter whole;
    whole.add(ctx, "l", layer, optimizer);
    whole.write(folder.file("whole"));

    const snack::io::LayerFile file(folder.file("half"));
    auto resumed = file.layer<DeviceLayer32>(ctx, "l");
    auto resumed_optimizer = file.optimizer<Optimizer>(ctx, "l", resumed, options);
    train_step(ctx, resumed, resumed_optimizer);
    snack::io::LayerFileWriter again;
    again.add(ctx, "l", resumed, resumed_optimizer);
    again.write(folder.file("again"));

    REQUIRE(tests::read_file(folder.file("again")) == tests::read_file(folder.file("whole")));
}

}  // namespace

TEST_CASE("a layer is the same file on host and device, and goes from one to the other by it", "[gpu]") {
    snack::HostContext host_ctx({.threads = 1});
    snack::CudaContext ctx;
    const snack::SparseLinear<snack::Host, float> host(host_ctx,
                                                       {.in_features = 90, .out_features = 80, .sparsity = 0.8});
    const DeviceLayer32 device(ctx, host_ctx, host);
    REQUIRE(saved_bytes(ctx, device) == saved_bytes(host_ctx, host));

    const tests::ScratchFolder folder;
    snack::io::LayerFileWriter writer;
    writer.add(host_ctx, "l", host);
    writer.write(folder.file("net"));
    const auto loaded = snack::io::LayerFile(folder.file("net")).layer<DeviceLayer32>(ctx, "l");
    REQUIRE(saved_bytes(ctx, loaded) == saved_bytes(host_ctx, host));
}

TEST_CASE("training on a device resumes exactly from a file", "[gpu]") {
    require_exact_resume<snack::Sgd<float, snack::CudaSpace>>(snack::SgdOptions{.momentum = 0.9});
    require_exact_resume<snack::Adam<float, snack::CudaSpace>>(snack::AdamOptions{});
}
