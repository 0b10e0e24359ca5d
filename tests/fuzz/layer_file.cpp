// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as a file of layers: a typed error, or layers that run and come back bit for bit when they are saved.

#include <optional>
#include <utility>

#include <snack/backends/host.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <snack/nn/adam.hpp>
#include <snack/nn/sgd.hpp>
#include <snack/nn/sparse_linear.hpp>
#include <tests/fuzz/memory_file.hpp>
#include <tests/fuzz/safetensors_mutator.hpp>
#include <tests/support/same_bits.hpp>

using namespace snack;
using Layer = SparseLinear<Host, float>;

namespace {

HostContext& context() {
    static HostContext ctx({.threads = 1});
    return ctx;
}

void require_same(const Layer& a, const Layer& b) {
    fuzz::require_law(same_coordinates(*a.topology(), *b.topology()), "connections come back");
    fuzz::require_law(tests::same_bits(a.values(), b.values()) && tests::same_bits(a.bias(), b.bias()),
                      "parameters come back");
    fuzz::require_law(a.options().seed == b.options().seed && a.options().stream == b.options().stream &&
                          a.options().rewire_count == b.options().rewire_count,
                      "the random key comes back");
}

/// Uses the layer in every way that reads its arrays.
template <class Optimizer>
void train(Layer layer, Optimizer optimizer) {
    HostContext& ctx = context();
    std::vector<float> x(static_cast<std::size_t>(layer.in_features()), 1);
    std::vector<float> y(static_cast<std::size_t>(layer.out_features()));
    layer.forward(ctx, {x.data(), 1, layer.in_features()}, {y.data(), 1, layer.out_features()});
    layer.backward(ctx, {x.data(), 1, layer.in_features()}, {y.data(), 1, layer.out_features()});
    optimizer.step(ctx, layer);
    optimizer.remap(ctx, layer.rewire(ctx, MagnitudePruner{0.5}, UniformGrower{}));
}

/// What `make` returns, or nothing if the file is refused, as it may be.
template <class Make>
auto attempt(const Make& make) -> std::optional<decltype(make())> {
    try {
        return make();
    } catch (const Error&) {
        return std::nullopt;
    }
}

template <class Optimizer, class Options>
void check_optimizer(const io::LayerFile& file, const std::string& name, const Layer& layer, const Options& options) {
    HostContext& ctx = context();
    auto optimizer = attempt([&] { return file.optimizer<Optimizer>(ctx, name, layer, options); });
    if (!optimizer) {
        return;
    }
    fuzz::MemoryFile once;
    io::LayerFileWriter first;
    first.add(ctx, name, layer, *optimizer);
    first.write_to(once);

    const io::LayerFile again{io::Safetensors(once.source())};
    const Layer loaded = again.layer<Layer>(ctx, name);
    require_same(layer, loaded);
    const Optimizer restored = again.optimizer<Optimizer>(ctx, name, loaded, options);
    fuzz::MemoryFile twice;
    io::LayerFileWriter second;
    second.add(ctx, name, loaded, restored);
    second.write_to(twice);
    fuzz::require_law(once.bytes == twice.bytes, "saving what was loaded gives the same bytes");
    train(layer, *std::move(optimizer));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const io::Budget budget{
        .elements = 1 << 16, .header_bytes = 1 << 16, .tensors = 256, .string_bytes = 1 << 12, .features = 1 << 10};
    const auto file =
        attempt([&] { return io::LayerFile(io::Safetensors(fuzz::source_of(data, size), budget), budget); });
    if (!file) {
        return 0;
    }
    for (const std::string& name : file->names()) {
        const auto layer = attempt([&] { return file->layer<Layer>(context(), name); });
        if (layer) {
            check_optimizer<Sgd<float>>(*file, name, *layer, SgdOptions{});
            check_optimizer<Sgd<float>>(*file, name, *layer, SgdOptions{.momentum = 0.5});
            check_optimizer<Adam<float>>(*file, name, *layer, AdamOptions{});
        }
    }
    return 0;
}
