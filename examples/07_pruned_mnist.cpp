// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A dense network that somebody else trained becomes a sparse one: the first layer of an MNIST classifier is read
// from its safetensors file and pruned by magnitude as it is read. What is left is tested, weighed and timed beside
// the dense network, and then fine-tuned, which brings back most of what pruning cost. The source is the same for
// every backend, and for a GPU if nvcc compiles it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <examples/support/command_line.hpp>
#include <examples/support/evaluation.hpp>
#include <examples/support/format.hpp>
#include <examples/support/mnist_fc.hpp>
#include <examples/support/progress.hpp>
#include <examples/support/prune_options.hpp>
#include <examples/support/table.hpp>
#include <snack/backends/dense.hpp>
#include <snack/backends/dense_mask.hpp>
#if defined(__CUDACC__)
#include <snack/backends/cusparse.cuh>
#include <snack/backends/cusparse_forward.cuh>
#include <snack/backends/dense.cuh>
#include <snack/backends/dense_mask.cuh>
#include <snack/snack.cuh>
#else
#include <snack/snack.hpp>
#endif

namespace {

using namespace examples;

constexpr Size test_batch = 128;
constexpr Size train_batch = 50;

/// What all backends are tried on.
struct Job {
    PruneOptions options;
    MnistFc network;
    LabelledImages images;
    bool published = false;         ///< whether these are the network and the images that numbers are known for
    double largest_difference = 0;  ///< from the published accuracies so far, in points
};

double percent(Size part, Size whole) {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// A pixel as the network sees it.
std::array<float, 256> pixels_over(float divisor) {
    std::array<float, 256> values{};
    for (std::size_t pixel = 0; pixel < values.size(); ++pixel) {
        values[pixel] = static_cast<float>(pixel) / divisor;
    }
    return values;
}

LabelledImages part_of(const LabelledImages& all, Size begin, Size end) {
    const auto images = all.images.begin();
    const auto labels = all.labels.begin();
    return {end - begin, all.pixels, std::vector<std::uint8_t>(images + begin * all.pixels, images + end * all.pixels),
            std::vector<std::uint8_t>(labels + begin, labels + end)};
}

/// Trains fc1, and nothing else, on the first half of the images; their second half tells what that is worth.
template <class Backend>
class FineTuning {
public:
    using Context = typename Mlp<Backend>::Context;
    using Adam = snack::Adam<float, typename Context::space>;

    FineTuning(Context& ctx, const Job& job)
        : ctx_(ctx),
          job_(job),
          widths_(job.network.widths()),
          train_(ctx, part_of(job.images, 0, job.images.count / 2), pixels_over(255)),
          test_(ctx, part_of(job.images, job.images.count / 2, job.images.count), pixels_over(255)),
          batches_(ctx, widths_, std::min(train_batch, train_.count())),
          test_batches_(ctx, widths_, test_batch),
          losses_(ctx.template allocate<float>(batches_.capacity())) {}

    /// A row of the table: accuracy on the second half, before and after.
    std::vector<std::string> run(double sparsity, Progress& progress) {
        Mlp<Backend> network = job_.network.pruned<Backend>(ctx_, sparsity, snack::PlanUse::training);
        const Size before = count_correct_images(ctx_, network, test_, test_batches_);
        Adam adam(ctx_, network.layers()[0], {.learning_rate = 1e-3});
        for (Size epoch = 1; epoch <= job_.options.epochs; ++epoch) {
            train_.shuffle(ctx_, 1, static_cast<std::uint32_t>(epoch));
            for (Size begin = 0; begin < train_.count(); begin += batches_.capacity()) {
                step(network, adam, begin);
                if (progress.due()) {
                    progress.show(format("%s  fine-tuning %.0f %%  epoch %d", Backend::name, 100 * sparsity,
                                         static_cast<int>(epoch)));
                }
            }
        }
        const Size after = count_correct_images(ctx_, network, test_, test_batches_);
        return {format("%.0f %%", 100 * sparsity), format("%.2f %%", percent(before, test_.count())),
                format("%.2f %%", percent(after, test_.count()))};
    }

private:
    void step(Mlp<Backend>& network, Adam& adam, Size begin) {
        const ChosenImages chosen = train_.from(begin);
        batches_.set_batch(std::min(batches_.capacity(), train_.count() - begin));
        gather_images(ctx_, chosen, batches_.input());
        network.forward(ctx_, batches_);
        softmax_cross_entropy(ctx_, batches_.logits(), chosen, batches_.logit_gradient(), losses_.data());
        network.backward(ctx_, batches_);
        adam.step(ctx_, network.layers()[0]);
    }

    Context& ctx_;
    const Job& job_;
    std::vector<Size> widths_;
    ImageSet<Context> train_;
    ImageSet<Context> test_;
    Workspace<Context> batches_;
    Workspace<Context> test_batches_;
    typename Context::template buffer<float> losses_;
};

/// Accuracy, memory and latency of the network at each sparsity.
template <class Backend>
class Pruning {
public:
    using Context = typename Mlp<Backend>::Context;

    Pruning(Context& ctx, Job& job)
        : ctx_(ctx),
          job_(job),
          widths_(job.network.widths()),
          bytes_(ctx, job.images, pixels_over(1)),
          shares_(ctx, job.images, pixels_over(255)),
          batches_(ctx, widths_, test_batch) {}

    static std::vector<std::string> head(const Job& job) {
        return job.published ? std::vector<std::string>{"fc1",       "connections",  "pixels 0..255",
                                                        "published", "pixels / 255", "published",
                                                        "memory",    "one image",    "99th percentile"}
                             : std::vector<std::string>{"fc1",    "connections", "pixels 0..255",  "pixels / 255",
                                                        "memory", "one image",   "99th percentile"};
    }

    std::vector<std::string> run(const PublishedAccuracy& known, const std::string& name, Progress& progress) {
        if (progress.due()) {
            progress.show(format("%s  %s", Backend::name, name.c_str()));
        }
        const Mlp<Backend> network = job_.network.pruned<Backend>(ctx_, known.sparsity, snack::PlanUse::inference);
        std::vector<std::string> row = {name, format_count(network.layers()[0].nnz())};
        add_accuracy(row, network, bytes_, known.bytes);
        add_accuracy(row, network, shares_, known.shares);
        row.push_back(format_bytes(bytes_of(network)));
        const Latency latency = measure_single_image(ctx_, network, shares_, widths_);
        row.push_back(format("%.1f us", latency.median * 1e6));
        row.push_back(format("%.1f us", latency.percentile99 * 1e6));
        return row;
    }

private:
    /// Of a dense network weights and biases alone, for it needs no coordinates, whoever keeps some.
    static Size bytes_of(const Mlp<Backend>& network) {
        Size bytes = 0;
        for (const auto& layer : network.layers()) {
            const snack::MemoryReport memory = layer.memory();
            const bool dense = layer.topology()->free_cells() == 0;
            bytes += dense && snack::FormsDense<Backend> ? memory.values + memory.bias : memory.total();
        }
        return bytes;
    }

    void add_accuracy(std::vector<std::string>& row, const Mlp<Backend>& network, const ImageSet<Context>& set,
                      double known) {
        const double accuracy = percent(count_correct_images(ctx_, network, set, batches_), set.count());
        row.push_back(format("%.2f %%", accuracy));
        if (job_.published) {
            row.push_back(known > 0 ? format("%.2f %%", known) : "-");
            job_.largest_difference = std::max(job_.largest_difference, known > 0 ? std::fabs(accuracy - known) : 0.0);
        }
    }

    Context& ctx_;
    Job& job_;
    std::vector<Size> widths_;
    ImageSet<Context> bytes_;
    ImageSet<Context> shares_;
    Workspace<Context> batches_;
};

/// All about one backend; DenseBackend is the dense network on the same context.
template <class Backend, class DenseBackend, class Context>
void run_backend(Context& ctx, const std::string& place, Job& job) {
    Progress progress(stderr);
    Table table;
    Pruning<Backend> pruning(ctx, job);
    table.add(Pruning<Backend>::head(job));
    if constexpr (!std::is_same_v<Backend, DenseBackend>) {
        table.add(Pruning<DenseBackend>(ctx, job).run(published_accuracies[0], "dense layer", progress));
    }
    for (const PublishedAccuracy& known : published_accuracies) {
        table.add(pruning.run(known, format("%.0f %%", 100 * known.sparsity), progress));
    }
    Table recovery;
    if (job.options.epochs > 0) {
        FineTuning<Backend> tuning(ctx, job);
        recovery.add({"fc1", "before", "after"});
        for (const PublishedAccuracy& known : published_accuracies) {
            if (known.sparsity > 0) {
                recovery.add(tuning.run(known.sparsity, progress));
            }
        }
    }
    progress.clear();
    std::printf("\n%s, %s: accuracy on all %s test images, memory for inference, time at batch 1\n\n", Backend::name,
                place.c_str(), format_count(job.images.count).c_str());
    table.print(stdout);
    if (job.options.epochs > 0) {
        std::printf("\n%s: fc1 fine-tuned on the first %s images, accuracy on the other %s, pixels / 255\n\n",
                    Backend::name, format_count(job.images.count / 2).c_str(),
                    format_count(job.images.count - job.images.count / 2).c_str());
        recovery.print(stdout);
    }
    std::fflush(stdout);
}

template <class Backend>
void run_on_host(Job& job) {
    snack::HostContext ctx(snack::HostContext::Options{.threads = job.options.threads});
    run_backend<Backend, snack::Dense>(ctx, "up to " + std::to_string(ctx.threads()) + " threads", job);
}

#if defined(__CUDACC__)
template <class Backend>
void run_on_gpu(Job& job) {
    snack::CudaContext ctx;
    cudaDeviceProp device{};
    SNACK_CUDA("07_pruned_mnist", cudaGetDeviceProperties, &device, ctx.device());
    run_backend<Backend, snack::CudaDense>(ctx, device.name, job);
}
#endif

struct Choice {
    std::string name;
    void (*run)(Job& job);
};

/// A backend of yours is one line more.
const std::vector<Choice> choices = {
    {"Host", run_on_host<snack::Host>},
    {"Reference", run_on_host<snack::Reference>},
    {"Dense", run_on_host<snack::Dense>},
    {"DenseMask", run_on_host<snack::DenseMask>},
#if defined(__CUDACC__)
    {"CooSegmented", run_on_gpu<snack::CooSegmented>},
    {"CooAtomic", run_on_gpu<snack::CooAtomic>},
    {"CuSparse", run_on_gpu<snack::CuSparse>},
    {"CuSparseForward", run_on_gpu<snack::CuSparseForward>},
    {"CudaDense", run_on_gpu<snack::CudaDense>},
    {"CudaDenseMask", run_on_gpu<snack::CudaDenseMask>},
#endif
};

/// @throws DataError if a file is missing or at odds with the others
Job load(const PruneOptions& options) {
    const std::filesystem::path folder(options.data);
    if (!std::filesystem::is_directory(folder)) {
        throw DataError(folder, "not found, or no folder");
    }
    MnistFc network(folder);
    LabelledImages images =
        detail::load_labelled_images(find_in_parts(folder, "mnist", "t10k-images-idx3-ubyte"), "t10k");
    const std::vector<Size> widths = network.widths();
    if (images.pixels != widths[0] || images.count < 2) {
        throw DataError(folder, std::to_string(images.count) + " images of " + std::to_string(images.pixels) +
                                    " pixels, the network takes some of " + std::to_string(widths[0]));
    }
    const bool published = widths == std::vector<Size>{784, 500, 10} && images.count == 10000;
    return {options, std::move(network), std::move(images), published};
}

void run(const PruneOptions& options) {
    Job job = load(options);
    for (const Choice& choice : choices) {
        if (options.backend == "all" || options.backend == choice.name) {
            choice.run(job);
        }
    }
    if (job.published) {
        std::printf("\nlargest difference from a published accuracy: %.2f points\n", job.largest_difference);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_program<UsageError, DataError, snack::FileError, snack::FormatError>("07_pruned_mnist", [&] {
        std::vector<std::string> names;
        names.reserve(std::size(choices));
        for (const Choice& choice : choices) {
            names.push_back(choice.name);
        }
        if (const auto options = parse_prune_options(argc, argv, names)) {
            run(*options);
        }
    });
}
