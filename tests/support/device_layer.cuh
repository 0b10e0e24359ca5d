// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A layer on a GPU behind the interface of one on the host, so that one conformance suite serves both:
// operands are copied to the device with their padding and alignment, and results back. Parameters on the
// host are a mirror, which values_changed and backward send to the device.

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <snack/dst/cuda_rewire.cuh>
#include <snack/init/cuda_initializers.cuh>
#include <snack/nn/sparse_linear.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/backend_under_test.hpp>

namespace tests {

using snack::CudaSpace;
using snack::DeviceSpan;
using snack::MatrixView;

/// Device memory with the accounts of a CountingAllocator.
class CountingCudaAllocator final : public snack::CudaAllocator {
public:
    explicit CountingCudaAllocator(CountingAllocator* accounts) : accounts_(accounts) {}

    void* allocate(Size bytes, cudaStream_t stream) override {
        accounts_->enter(bytes);
        void* memory = nullptr;
        if (cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream) != cudaSuccess) {
            accounts_->leave(bytes);
            throw std::bad_alloc();
        }
        return memory;
    }
    void deallocate(void* memory, Size bytes, cudaStream_t stream) noexcept override {
        accounts_->leave(bytes);
        cudaFreeAsync(memory, stream);
    }

private:
    CountingAllocator* accounts_;
};

/// Device memory that only grows, outside of the accounts.
class Staging {
public:
    Staging() = default;
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging() { cudaFree(memory_); }

    /// A copy of the view in device memory, at the same address modulo 64, between guards.
    template <class T>
    MatrixView<T, CudaSpace> take(const MatrixView<T>& host) {
        using Element = std::remove_const_t<T>;
        const std::size_t bytes = static_cast<std::size_t>(extent(host)) * sizeof(T);
        const std::size_t shift = reinterpret_cast<std::uintptr_t>(host.data()) % 64;
        reserve(bytes + shift + 2 * guard);
        bytes_ = bytes;
        begin_ = guard + shift;
        check(cudaMemset(memory_, pattern, begin_ + bytes + guard));
        if (bytes > 0) {
            check(cudaMemcpy(memory_ + begin_, host.data(), bytes, cudaMemcpyHostToDevice));
        }
        check(cudaDeviceSynchronize());
        auto* const data = host.data() == nullptr ? nullptr : reinterpret_cast<Element*>(memory_ + begin_);
        return {data, host.batch(), host.features(), host.layout(), host.stride()};
    }

    /// Copies the elements and the padding between them back; throws if a guard was written to.
    template <class T>
    void give_back(const MatrixView<T>& host) {
        if (bytes_ > 0) {
            check(cudaMemcpy(host.data(), memory_ + begin_, bytes_, cudaMemcpyDeviceToHost));
        }
        unsigned char guards[2][guard];
        check(cudaMemcpy(guards[0], memory_ + begin_ - guard, guard, cudaMemcpyDeviceToHost));
        check(cudaMemcpy(guards[1], memory_ + begin_ + bytes_, guard, cudaMemcpyDeviceToHost));
        for (std::size_t i = 0; i < guard; ++i) {
            if (guards[0][i] != pattern || guards[1][i] != pattern) {
                throw std::logic_error("a kernel wrote next to its output");
            }
        }
    }

    static void check(cudaError_t error) {
        if (error != cudaSuccess) {
            throw std::logic_error(cudaGetErrorString(error));
        }
    }

private:
    static constexpr std::size_t guard = 256;
    static constexpr unsigned char pattern = 0xa5;

    template <class T>
    static Size extent(const MatrixView<T>& view) {
        const bool rows = view.layout() == snack::Layout::row_major;
        const Size lines = rows ? view.batch() : view.features();
        const Size line = rows ? view.features() : view.batch();
        return view.empty() ? 0 : (lines - 1) * view.stride() + line;
    }

    void reserve(std::size_t bytes) {
        if (bytes > size_) {
            check(cudaFree(memory_));
            memory_ = nullptr;
            check(cudaMalloc(&memory_, bytes));
            size_ = bytes;
        }
    }

    unsigned char* memory_ = nullptr;
    std::size_t size_ = 0;
    std::size_t begin_ = 0;
    std::size_t bytes_ = 0;
};

struct DeviceTestOptions {
    int threads = 0;  ///< no meaning on a device
    CountingAllocator* allocator = nullptr;
    snack::Executor* executor = nullptr;  ///< no meaning on a device
};

struct AllocatorOfTest {
    explicit AllocatorOfTest(CountingAllocator* accounts) : counting(accounts) {}
    CountingCudaAllocator counting;
};

class DeviceTestContext : AllocatorOfTest, public snack::CudaContext {
public:
    DeviceTestContext() : DeviceTestContext(DeviceTestOptions{}) {}
    explicit DeviceTestContext(const DeviceTestOptions& options)
        : AllocatorOfTest(options.allocator),
          CudaContext({.allocator = options.allocator == nullptr ? nullptr : &counting}) {}

    Staging staging[3];
};

/// A rewire's report with its map on the host.
struct ReportOnHost {
    Size dropped_count;
    std::vector<Size> map;

    Size dropped() const { return dropped_count; }
    const std::vector<Size>& new_to_old() const { return map; }
};

template <class T>
std::vector<T> on_host(snack::CudaContext& ctx, DeviceSpan<const T> array) {
    std::vector<T> copy(array.size());
    ctx.copy_to_host(array, std::span<T>(copy));
    return copy;
}

template <class B, class T>
class DeviceLayer {
public:
    using backend = B;
    using scalar = T;
    using Real = snack::SparseLinear<B, T>;

    template <class... Initializer>
    DeviceLayer(DeviceTestContext& ctx, const snack::LayerOptions& options, const Initializer&... initializer)
        : ctx_(&ctx), real_(ctx, options, initializer...) {
        mirror_all();
    }
    DeviceLayer(DeviceTestContext& ctx, const snack::CooMatrix<T>& matrix, std::span<const T> bias = {},
                const snack::MatrixLayerOptions& options = {})
        : ctx_(&ctx), real_(ctx, matrix, bias, options) {
        mirror_all();
    }

    DeviceLayer(const DeviceLayer& other) : ctx_(other.ctx_), real_(other.real_) { mirror_all(); }
    DeviceLayer(DeviceLayer&&) noexcept = default;
    DeviceLayer& operator=(const DeviceLayer& other) { return *this = DeviceLayer(other); }
    DeviceLayer& operator=(DeviceLayer&& other) noexcept {
        DeviceLayer moved(std::move(other));
        swap(*this, moved);
        return *this;
    }
    ~DeviceLayer() = default;
    friend void swap(DeviceLayer& a, DeviceLayer& b) noexcept {
        std::swap(a.ctx_, b.ctx_);
        a.real_.swap(b.real_);
        std::swap(a.mirrors_, b.mirrors_);
        std::swap(a.lent_, b.lent_);
        std::swap(a.topology_, b.topology_);
    }

    void forward(DeviceTestContext& ctx, MatrixView<const T> x, MatrixView<T> y,
                 snack::Activation activation = snack::Activation::none) const {
        const auto in = ctx.staging[0].take(x);
        const auto out = ctx.staging[1].take(y);
        real_.forward(ctx, in, out, activation);
        ctx.synchronize();
        ctx.staging[1].give_back(y);
    }

    void backward(DeviceTestContext& ctx, MatrixView<const T> x, MatrixView<const T> dy, MatrixView<T> dx,
                  snack::GradientMode mode = snack::GradientMode::overwrite) {
        const auto in = ctx.staging[0].take(x);
        const auto from = ctx.staging[1].take(dy);
        const auto out = ctx.staging[2].take(dx);
        const bool same = dx.data() == x.data() && !dx.empty();
        const MatrixView<T, CudaSpace> aliased(const_cast<T*>(in.data()), dx.batch(), dx.features(), dx.layout(),
                                               dx.stride());
        send_gradients(ctx);
        real_.backward(ctx, in, from, same ? aliased : out, mode);
        fetch_gradients(ctx);
        ctx.staging[2].give_back(dx);
    }

    void backward(DeviceTestContext& ctx, MatrixView<const T> x, MatrixView<const T> dy,
                  snack::GradientMode mode = snack::GradientMode::overwrite) {
        const auto in = ctx.staging[0].take(x);
        const auto from = ctx.staging[1].take(dy);
        send_gradients(ctx);
        real_.backward(ctx, in, from, mode);
        fetch_gradients(ctx);
    }

    void input_gradient(DeviceTestContext& ctx, MatrixView<const T> dy, MatrixView<T> dx) const {
        const auto from = ctx.staging[1].take(dy);
        const auto out = ctx.staging[2].take(dx);
        B::template input_gradient<T>(ctx, real_.plan(), real_.values(), from, out);
        ctx.synchronize();
        ctx.staging[2].give_back(dx);
    }

    template <class P, class G>
    ReportOnHost rewire(DeviceTestContext& ctx, const P& pruner, const G& grower) {
        const auto report = real_.rewire(ctx, pruner, grower);
        ctx.synchronize();
        fetch_gradients(ctx);
        fetch(ctx, std::as_const(real_).values(), mirrors_[0]);
        topology_ = nullptr;
        return {report.dropped(), on_host(ctx, report.new_to_old())};
    }

    void bind(DeviceTestContext& ctx, const snack::ParameterSpans<T>& spans) {
        const std::span<T> host[] = {spans.values, spans.gradients, spans.bias, spans.bias_gradients};
        snack::DeviceBuffer<T> lent[4];
        for (int i = 0; i < 4; ++i) {
            lent[i] = ctx.allocate<T>(static_cast<Size>(host[i].size()));
        }
        real_.bind(ctx, {lent[0].span(), lent[1].span(), lent[2].span(), lent[3].span()});
        ctx.synchronize();
        for (int i = 0; i < 4; ++i) {
            if (!host[i].empty()) {
                std::copy(mirrors_[i].view.begin(), mirrors_[i].view.end(), host[i].begin());
                mirrors_[i] = {{}, host[i]};
                lent_[i] = std::move(lent[i]);
            }
        }
    }

    void values_changed(DeviceTestContext& ctx) {
        send(ctx, mirrors_[0], real_.values());
        send(ctx, mirrors_[2], real_.bias());
        real_.values_changed(ctx);
        ctx.synchronize();
    }

    Size out_features() const { return real_.out_features(); }
    Size in_features() const { return real_.in_features(); }
    Size nnz() const { return real_.nnz(); }
    double sparsity() const { return real_.sparsity(); }
    bool has_bias() const { return real_.has_bias(); }
    std::uint32_t rewire_count() const { return real_.rewire_count(); }
    snack::MemoryReport memory() const { return real_.memory(); }

    /// A copy on the host, the same until the next rewire.
    const snack::TopologyPtr& topology() const {
        if (topology_ == nullptr && real_.topology() != nullptr) {
            topology_ = real_.topology()->download(*ctx_);
        }
        return topology_;
    }

    struct PlanOnHost {
        std::uint64_t version;
        std::uint64_t topology_version() const { return version; }
    };
    /// Tells the version of topology() if the real plan tells that of the real topology.
    PlanOnHost plan() const {
        const bool knows = real_.plan().topology_version() == real_.topology()->version();
        return {knows ? topology()->version() : 0};
    }

    std::span<T> values() { return mirrors_[0].view; }
    std::span<const T> values() const { return mirrors_[0].view; }
    std::span<T> gradients() { return mirrors_[1].view; }
    std::span<const T> gradients() const { return mirrors_[1].view; }
    std::span<T> bias() { return mirrors_[2].view; }
    std::span<const T> bias() const { return mirrors_[2].view; }
    std::span<T> bias_gradients() { return mirrors_[3].view; }
    std::span<const T> bias_gradients() const { return mirrors_[3].view; }

    const Real& real() const { return real_; }

private:
    struct Mirror {
        std::vector<T> own;
        std::span<T> view;

        Mirror() = default;
        Mirror(std::vector<T> elements, std::span<T> lent) : own(std::move(elements)), view(lent) {}
        Mirror(Mirror&& other) noexcept : own(std::move(other.own)), view(std::exchange(other.view, std::span<T>())) {}
        Mirror& operator=(Mirror&& other) noexcept {
            own = std::move(other.own);
            view = std::exchange(other.view, std::span<T>());
            return *this;
        }
    };

    void mirror_all() {
        const DeviceSpan<const T> arrays[] = {std::as_const(real_).values(), std::as_const(real_).gradients(),
                                              std::as_const(real_).bias(), std::as_const(real_).bias_gradients()};
        for (int i = 0; i < 4; ++i) {
            mirrors_[i].own.resize(arrays[i].size());
            mirrors_[i].view = mirrors_[i].own;
            fetch(*ctx_, arrays[i], mirrors_[i]);
        }
    }
    static void send(DeviceTestContext& ctx, const Mirror& from, DeviceSpan<T> to) {
        ctx.copy_from_host(std::span<const T>(from.view), to);
    }
    static void fetch(DeviceTestContext& ctx, DeviceSpan<const T> from, Mirror& to) { ctx.copy_to_host(from, to.view); }
    void send_gradients(DeviceTestContext& ctx) {
        send(ctx, mirrors_[1], real_.gradients());
        send(ctx, mirrors_[3], real_.bias_gradients());
    }
    void fetch_gradients(DeviceTestContext& ctx) {
        fetch(ctx, std::as_const(real_).gradients(), mirrors_[1]);
        fetch(ctx, std::as_const(real_).bias_gradients(), mirrors_[3]);
    }

    DeviceTestContext* ctx_;
    snack::DeviceBuffer<T> lent_[4];
    Real real_;
    Mirror mirrors_[4];
    mutable snack::TopologyPtr topology_;
};

template <>
struct StandIns<CudaSpace> {
    template <class B>
    using context = DeviceTestContext;
    template <class B, class T>
    using layer = DeviceLayer<B, T>;
};

template <class B, class T>
void input_gradient_of(DeviceTestContext& ctx, const DeviceLayer<B, T>& layer, MatrixView<const T> dy,
                       MatrixView<T> dx) {
    layer.input_gradient(ctx, dy, dx);
}

}  // namespace tests
