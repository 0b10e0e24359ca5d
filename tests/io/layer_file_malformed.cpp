// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Well-formed safetensors files whose tensors do not make a layer, or would make one that reaches beyond its arrays.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <snack/io/layer_file.hpp>
#include <snack/io/layer_file_writer.hpp>
#include <snack/io/safetensors_writer.hpp>
#include <snack/nn/adam.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/nn/layers.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using io::DType;
using io::LayerFile;
using tests::contains;
using tests::HostLayer;
using tests::ReferenceLayer;
using tests::text_of;

namespace {

/// The tensors of a layer "l", which a test changes before it writes them.
class Tensors {
public:
    template <class T>
    Tensors& set(const std::string& name, const std::vector<T>& numbers) {
        const auto bytes = std::as_bytes(std::span(numbers));
        tensors_["l." + name] = {io::dtype_of<T>(), std::ssize(numbers), {bytes.begin(), bytes.end()}};
        return *this;
    }
    Tensors& drop(const std::string& name) {
        tensors_.erase("l." + name);
        return *this;
    }

    LayerFile file(const io::Budget& budget = {}) const {
        const tests::ScratchFolder folder;
        io::SafetensorsWriter writer;
        for (const auto& entry : tensors_) {
            const Tensor* tensor = &entry.second;
            writer.add(entry.first, tensor->dtype, {tensor->elements}, [tensor](Size first, std::span<std::byte> to) {
                std::copy_n(tensor->bytes.begin() + first, to.size(), to.begin());
            });
        }
        writer.write(folder.file("net"));
        return LayerFile(folder.file("net"), budget);  // stays open when the folder is gone
    }

private:
    struct Tensor {
        DType dtype = DType::F32;
        Size elements = 0;
        std::vector<std::byte> bytes;
    };
    std::map<std::string, Tensor> tensors_;
};

using Integers = std::vector<Size>;
using Floats = std::vector<float>;

/// 4 x 4 with entries (0, 0) and (3, 3).
Tensors four_by_four() {
    Tensors tensors;
    tensors.set("weight.rows", Integers{0, 3}).set("weight.columns", Integers{0, 3}).set("weight.values", Floats{1, 2});
    return tensors.set("weight.shape", Integers{4, 4});
}

/// The same with row offsets.
Tensors with_offsets(const Integers& offsets) {
    return four_by_four().drop("weight.rows").set("weight.row_offsets", offsets);
}

/// Loads the layer, which must fail as an E, for both backends alike.
template <class E>
std::string refusal(const Tensors& tensors) {
    const LayerFile file = tensors.file();
    HostContext ctx({.threads = 1});
    const std::string text = text_of<E>([&] { file.layer<HostLayer>(ctx, "l"); });
    REQUIRE(text == text_of<E>([&] { file.layer<ReferenceLayer>(ctx, "l"); }));
    REQUIRE(text.starts_with(file.tensors().name() + ": "));
    return text.substr(file.tensors().name().size() + 2);
}

}  // namespace

TEST_CASE("the made-up layer is whole before it is broken", "[io]") {
    HostContext ctx({.threads = 1});
    REQUIRE(four_by_four().file().layer<HostLayer>(ctx, "l").nnz() == 2);
    REQUIRE(with_offsets({0, 1, 1, 1, 2}).file().layer<HostLayer>(ctx, "l").nnz() == 2);
}

TEST_CASE("coordinates outside of the matrix name the entry, whatever they become in 32 bits", "[io]") {
    for (const std::string which : {"rows", "columns"}) {
        CAPTURE(which);
        for (const Size wrong : {Size{4}, Size{-1}, Size{2147483648}, Size{4294967296}, Size{4294967299},
                                 std::numeric_limits<Size>::min(), std::numeric_limits<Size>::max()}) {
            CAPTURE(wrong);
            const std::string text = refusal<TopologyError>(four_by_four().set("weight." + which, Integers{0, wrong}));
            const std::string shown = std::to_string(wrong);
            REQUIRE(text == "layer 'l': entry 1 at (" + (which == "rows" ? shown + ", 3" : "3, " + shown) +
                                ") is outside a 4 x 4 matrix");
        }
        REQUIRE_THROWS_AS(
            four_by_four().set("weight." + which, std::vector<std::int32_t>{0, -1}).file().matrix<float>("l"),
            TopologyError);
        REQUIRE_THROWS_AS(
            four_by_four().set("weight." + which, std::vector<std::int8_t>{-128, 0}).file().matrix<float>("l"),
            TopologyError);
        REQUIRE(contains(
            refusal<FormatError>(four_by_four().set("weight." + which, std::vector<std::uint64_t>{0, 1ull << 63})),
            "tensor 'l.weight." + which + "': element 1 passes 2^63 - 1"));
    }
}

TEST_CASE("a connection that is given twice is named", "[io]") {
    REQUIRE(refusal<TopologyError>(
                four_by_four().set("weight.rows", Integers{2, 2}).set("weight.columns", Integers{1, 1})) ==
            "layer 'l': entry 1 at (2, 1) is given twice");
    REQUIRE(refusal<TopologyError>(with_offsets({0, 2, 2, 2, 2}).set("weight.columns", Integers{3, 3})) ==
            "layer 'l': entry 1 at (0, 3) is given twice");
}

TEST_CASE("row offsets that are no offsets name the element", "[io]") {
    const auto text = [](const Integers& offsets) { return refusal<TopologyError>(with_offsets(offsets)); };
    const std::string tensor = "tensor 'l.weight.row_offsets'";
    REQUIRE(text({1, 1, 1, 1, 2}) == tensor + ": element 0 is 1, not between 0 and 0");
    REQUIRE(text({0, 2, 1, 1, 2}) == tensor + ": element 2 is 1, not between 2 and 2");
    REQUIRE(text({0, 1, 3, 1, 2}) == tensor + ": element 2 is 3, not between 1 and 2");
    REQUIRE(text({0, -1, 1, 1, 2}) == tensor + ": element 1 is -1, not between 0 and 2");
    REQUIRE(text({0, 1, 4294967298, 2, 2}) == tensor + ": element 2 is 4294967298, not between 1 and 2");
    REQUIRE(text({0, 0, 0, 1, 1}) == tensor + " ends with 1, there are 2 columns");
    REQUIRE(refusal<FormatError>(with_offsets({0, 1, 1, 2})) == tensor + " has 4 elements, 5 are wanted");
    REQUIRE(refusal<FormatError>(with_offsets({0, 1, 1, 1, 2, 2})) == tensor + " has 6 elements, 5 are wanted");
    REQUIRE(refusal<FormatError>(with_offsets({})) == tensor + " has 0 elements, 5 are wanted");
}

TEST_CASE("columns beyond the matrix are found behind row offsets too", "[io]") {
    for (const Size wrong : {Size{4}, Size{-1}, Size{2147483648}, Size{4294967296}}) {
        CAPTURE(wrong);
        REQUIRE(refusal<TopologyError>(with_offsets({0, 1, 1, 1, 2}).set("weight.columns", Integers{wrong, 3})) ==
                "layer 'l': entry 0 at (0, " + std::to_string(wrong) + ") is outside a 4 x 4 matrix");
    }
}

TEST_CASE("a layer that is not there is refused with the names of those that are", "[io]") {
    const tests::ScratchFolder folder;
    const CooMatrix<float> matrix(Topology::from_cells(2, 2, std::vector<Size>{0, 3}), Buffer<float>(2, 1, nullptr));
    HostContext ctx({.threads = 1});
    const auto text = [&](int layers) {
        io::LayerFileWriter writer;
        for (int i = 1; i <= layers; ++i) {
            writer.add_matrix<float>("fc" + std::to_string(i), matrix);
        }
        writer.write(folder.file("net"));
        const LayerFile file(folder.file("net"));
        return text_of<FormatError>([&] { file.layer<HostLayer>(ctx, "typo"); }).substr(folder.file("net").size());
    };
    REQUIRE(text(0) == ": has no layer 'typo', nor any other");
    REQUIRE(text(1) == ": has no layer 'typo'; there is 'fc1'");
    REQUIRE(text(2) == ": has no layer 'typo'; there are 'fc1', 'fc2'");
    REQUIRE(text(9) ==
            ": has no layer 'typo'; there are 'fc1', 'fc2', 'fc3', 'fc4', 'fc5', 'fc6', 'fc7', 'fc8' and 1 more");
}

TEST_CASE("tensors that are missing or do not fit are named", "[io]") {
    const auto text = [](const Tensors& tensors) { return refusal<FormatError>(tensors); };
    REQUIRE(text(four_by_four().drop("weight.values")) == "has no tensor 'l.weight.values'");
    REQUIRE(text(four_by_four().drop("weight.columns")) == "has no tensor 'l.weight.columns'");
    REQUIRE(text(four_by_four().drop("weight.shape")) == "has no tensor 'l.weight.shape'");
    REQUIRE(text(four_by_four().drop("weight.rows")) == "layer 'l' has neither rows nor row_offsets");
    REQUIRE(text(four_by_four().set("weight.row_offsets", Integers{0, 1, 1, 1, 2})) ==
            "layer 'l' has both rows and row_offsets");
    REQUIRE(text(four_by_four().set("weight.rows", Integers{0})) ==
            "tensor 'l.weight.rows' has 1 elements, 2 are wanted");
    REQUIRE(text(four_by_four().set("weight.values", Floats{1, 2, 3})) ==
            "tensor 'l.weight.values' has 3 elements, 2 are wanted");
    REQUIRE(text(four_by_four().set("weight.shape", Integers{4})) ==
            "tensor 'l.weight.shape' has 1 elements, 2 are wanted");
    REQUIRE(text(four_by_four().set("bias", Floats{1, 2, 3})) == "tensor 'l.bias' has 3 elements, 4 are wanted");
    REQUIRE(text(four_by_four().set("random_key", std::vector<std::uint64_t>{1, 2})) ==
            "tensor 'l.random_key' has 2 elements, 3 are wanted");
    REQUIRE(text(four_by_four().set("random_key", std::vector<std::int32_t>{1, 2, 3})) ==
            "tensor 'l.random_key' has dtype I32, U64 is wanted");
    REQUIRE(contains(text(four_by_four().set("random_key", Integers{1, 1ll << 32, 0})), "stream 4294967296"));
    REQUIRE(contains(text(four_by_four().set("random_key", Integers{1, 0, -1})), "rewire count 18446744073709551615"));
    REQUIRE(contains(text(four_by_four().set("weight.rows", Floats{0, 3})), "dtype F32, integers are wanted"));
    REQUIRE(contains(text(four_by_four().set("weight.columns", Floats{0, 3})), "dtype F32, integers are wanted"));
    REQUIRE(contains(text(four_by_four().set("weight.shape", Floats{4, 4})), "dtype F32, integers are wanted"));
    REQUIRE(contains(text(with_offsets({}).set("weight.row_offsets", Floats{0, 1, 1, 1, 2})), "integers are wanted"));
    REQUIRE(contains(text_of<FormatError>([] { four_by_four().file().matrix<float>("k"); }),
                     "has no layer 'k'; there is 'l'"));
}

TEST_CASE("extents that a small file cannot have are refused before memory is taken", "[io]") {
    const Integers none;
    Tensors empty = four_by_four();
    empty.set("weight.rows", none).set("weight.columns", none).set("weight.values", Floats{});
    for (const Integers& shape :
         {Integers{-1, 4}, Integers{4, -1}, Integers{2147483647, 4}, Integers{4, 2147483647}, Integers{2147483648, 4},
          Integers{4, 4294967296}, Integers{4294967296, 4294967296}, Integers{std::numeric_limits<Size>::max(), 1},
          Integers{std::numeric_limits<Size>::min(), 1}, Integers{1'048'577, 1}}) {
        const LayerFile file = empty.set("weight.shape", shape).file();
        HostContext ctx({.threads = 1});
        tests::reset_peak_new();
        const Size before = tests::live_new();
        REQUIRE(
            contains(text_of<FormatError>([&] { file.layer<HostLayer>(ctx, "l"); }), "is not between 0 and 1048576"));
        REQUIRE(tests::peak_new() - before < 1 << 20);
    }

    // The widest that the default budget has room for, and a wider one with another budget.
    HostContext ctx({.threads = 1});
    tests::reset_peak_new();
    const Size before = tests::live_new();
    const auto widest = empty.set("weight.shape", Integers{1'048'576, 1'048'576}).file().layer<HostLayer>(ctx, "l");
    REQUIRE(widest.nnz() == 0);
    REQUIRE(tests::peak_new() - before < 64 << 20);
    const io::Budget budget{.features = Size{1} << 40};
    REQUIRE(empty.set("weight.shape", Integers{1'048'577, 4}).file(budget).matrix<float>("l").nnz() == 0);
    REQUIRE_THROWS_AS(empty.set("weight.shape", Integers{2147483648, 4}).file(budget).matrix<float>("l"), ShapeError);
}

TEST_CASE("more connections than cells are refused before memory is taken", "[io]") {
    Tensors tensors = four_by_four();
    tensors.set("weight.columns", std::vector<std::uint8_t>(1'000'000)).set("weight.shape", Integers{999, 1001});
    const LayerFile file = tensors.file();

    tests::reset_peak_new();
    const Size before = tests::live_new();
    REQUIRE(contains(text_of<TopologyError>([&] { file.matrix<float>("l"); }),
                     "has 1000000 elements, the matrix 999999 cells"));
    REQUIRE(tests::peak_new() - before < 1 << 20);
}

TEST_CASE("broken state of an optimiser is refused, and the layer is left alone", "[io]") {
    HostContext ctx({.threads = 1});
    Tensors tensors = four_by_four();
    for (const char* array : {"first_moment", "second_moment"}) {
        tensors.set(std::string("adam.") + array, Floats{1, 2}).set(std::string("adam.bias_") + array, Floats{});
    }
    tensors.set("adam.beta_powers", std::vector<double>{0.5, 1});
    const auto layer = tensors.file().layer<HostLayer>(ctx, "l");
    const auto text = [&](const Tensors& broken) {
        const LayerFile file = broken.file();
        return text_of<FormatError>([&] { file.optimizer<Adam<float>>(ctx, "l", layer, AdamOptions{}); })
            .substr(file.tensors().name().size());
    };
    REQUIRE_NOTHROW(tensors.file().optimizer<Adam<float>>(ctx, "l", layer, AdamOptions{}));

    REQUIRE(text(Tensors(tensors).drop("adam.first_moment")) == ": has no tensor 'l.adam.first_moment'");
    REQUIRE(text(Tensors(tensors).drop("adam.beta_powers")) == ": has no tensor 'l.adam.beta_powers'");
    REQUIRE(contains(text(Tensors(tensors).set("adam.second_moment", Floats{1})), "has 1 elements, 2 are wanted"));
    REQUIRE(contains(text(Tensors(tensors).set("adam.bias_first_moment", Floats{1})), "has 1 elements, 0 are wanted"));
    REQUIRE(contains(text(Tensors(tensors).set("adam.beta_powers", std::vector<double>{1})), "2 are wanted"));
    for (const double wrong : {-0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
        REQUIRE(contains(text(Tensors(tensors).set("adam.beta_powers", std::vector<double>{wrong, 0.5})),
                         "'l.adam.beta_powers': " +
                             std::string(wrong < 0   ? "-0.5"
                                         : wrong > 1 ? "1.5"
                                                     : "nan") +
                             " is not between 0 and 1"));
    }
    REQUIRE(tests::copy_of(layer.values()) == Floats{1, 2});
}

TEST_CASE("a layer stays as it was when another cannot be loaded into its place", "[io]") {
    HostContext ctx({.threads = 1});
    auto layer = tests::small_layer<HostLayer>(ctx);
    const HostLayer before = layer;
    const LayerFile file = four_by_four().set("weight.rows", Integers{0, 4}).file();

    REQUIRE_THROWS_AS(layer = file.layer<HostLayer>(ctx, "l"), TopologyError);

    REQUIRE(layer.topology() == before.topology());
    REQUIRE(tests::bits_of(layer.values()) == tests::bits_of(before.values()));
}

TEST_CASE("loading fails cleanly wherever memory runs out", "[io]") {
    const LayerFile file = four_by_four().set("bias", Floats{1, 2, 3, 4}).file();
    for (Size call = 0;; ++call) {
        tests::CountingAllocator allocator;
        allocator.fail_at_call = call;
        HostContext ctx({.threads = 1, .allocator = &allocator});
        try {
            const auto layer = file.layer<HostLayer>(ctx, "l");
            REQUIRE(call > 5);
            break;
        } catch (const std::bad_alloc&) {
            REQUIRE(allocator.live_bytes == 0);
        }
    }
}
