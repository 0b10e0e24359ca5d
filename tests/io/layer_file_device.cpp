// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layers whose arrays the host cannot dereference: a stand-in for a GPU shows that all goes through the context.

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>

using namespace snack;
using tests::ScratchFolder;

namespace far_away {

/// Copies to and from arrays of the space of GPUs, which here are the host's.
struct Context {
    using space = CudaSpace;

    template <class T>
    void copy_to_host(DeviceSpan<const std::type_identity_t<T>> from, std::span<T> to) {
        std::memcpy(to.data(), from.data(), to.size_bytes());
        largest = std::max(largest, to.size_bytes());
    }
    template <class T>
    void copy_from_host(std::span<const std::type_identity_t<T>> from, DeviceSpan<T> to) {
        std::memcpy(to.data(), from.data(), to.size_bytes());
    }

    std::size_t largest = 0;  // bytes copied to the host at once
};

template <class T>
DeviceSpan<T> span_of(std::vector<T>& array) {
    return {array.data(), array.size()};
}
template <class T>
DeviceSpan<const T> span_of(const std::vector<T>& array) {
    return {array.data(), array.size()};
}

struct Topology {
    std::vector<Index> column_array;
    std::vector<Size> offset_array;

    Size out_features() const { return std::ssize(offset_array) - 1; }
    Size in_features() const { return 1000; }
    DeviceSpan<const Index> columns() const { return span_of(column_array); }
    DeviceSpan<const Size> row_offsets() const { return span_of(offset_array); }
};

/// For LayerFile, which finds it by the namespace of its arguments.
TopologyPtr copy_topology(HostContext&, Context&, const std::shared_ptr<const Topology>& topology) {
    std::vector<Size> cells;
    for (Size row = 0; row < topology->out_features(); ++row) {
        for (Size e = topology->offset_array[static_cast<std::size_t>(row)];
             e < topology->offset_array[static_cast<std::size_t>(row) + 1]; ++e) {
            cells.push_back(row * 1000 + topology->column_array[static_cast<std::size_t>(e)]);
        }
    }
    return snack::Topology::from_cells(topology->out_features(), 1000, cells);
}

/// 400 x 1000, all connected.
struct Layer {
    using scalar = float;
    std::shared_ptr<const Topology> shape;
    std::vector<float> value_array = std::vector<float>(400'000);
    std::vector<float> bias_array = std::vector<float>(400);

    Layer() {
        Topology full;
        full.column_array.resize(400'000);
        full.offset_array.resize(401);
        for (std::size_t i = 0; i < 400'000; ++i) {
            full.column_array[i] = static_cast<Index>(i % 1000);
        }
        for (std::size_t row = 0; row <= 400; ++row) {
            full.offset_array[row] = static_cast<Size>(row) * 1000;
        }
        shape = std::make_shared<const Topology>(std::move(full));
        std::iota(value_array.begin(), value_array.end(), 1.0f);
        std::iota(bias_array.begin(), bias_array.end(), 0.5f);
    }

    const std::shared_ptr<const Topology>& topology() const { return shape; }
    DeviceSpan<const float> values() const { return span_of(value_array); }
    DeviceSpan<const float> bias() const { return span_of(bias_array); }
    MatrixLayerOptions options() const { return {.seed = 1, .stream = 2, .rewire_count = 3}; }
};

struct Optimizer {
    static constexpr const char* name = "opt";
    std::vector<float> state = std::vector<float>(400'000);
    std::vector<float> bias_state = std::vector<float>(400);

    Optimizer() = default;
    Optimizer(Context&, const Layer&, int) {}

    template <class Self, class Visitor>
    static void visit_state(Self& optimizer, Visitor& visitor) {
        visitor.connections("state", span_of(optimizer.state));
        visitor.bias("bias_state", span_of(optimizer.bias_state));
    }
    void require_current(const char*, const Context&, const Layer&) const {}
};

}  // namespace far_away

TEST_CASE("a layer on a device is written in pieces through its context, and its state comes back", "[io]") {
    const ScratchFolder folder;
    far_away::Context ctx;
    const far_away::Layer layer;
    far_away::Optimizer optimizer;
    std::iota(optimizer.state.begin(), optimizer.state.end(), 7.0f);
    std::iota(optimizer.bias_state.begin(), optimizer.bias_state.end(), 9.0f);
    io::LayerFileWriter writer;
    writer.add(ctx, "l", layer, optimizer);

    tests::reset_peak_new();
    const Size before = tests::live_new();
    writer.write(folder.file("net"));

    REQUIRE(tests::peak_new() - before < 1'400'000);  // of 1.6 MB in each array
    REQUIRE(ctx.largest == 1 << 20);

    const io::LayerFile file(folder.file("net"));
    const CooMatrix<float> matrix = file.matrix<float>("l");
    REQUIRE((matrix.out_features() == 400 && matrix.in_features() == 1000 && matrix.nnz() == 400'000));
    REQUIRE(std::vector<float>(matrix.values().begin(), matrix.values().end()) == layer.value_array);
    const Buffer<float> bias = file.bias<float>("l", 400);
    REQUIRE(std::vector<float>(bias.begin(), bias.end()) == layer.bias_array);
    REQUIRE(file.random_key("l").rewire_count == 3);

    const auto loaded = file.optimizer<far_away::Optimizer>(ctx, "l", layer, 0);
    REQUIRE(loaded.state == optimizer.state);
    REQUIRE(loaded.bias_state == optimizer.bias_state);
}
