// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What an operation on a GPU needs besides its operands: device, stream, memory, scratch space, handles of
// libraries. It is the first argument of every operation, and all work goes to its stream: there is no
// global state, no default stream and no hidden synchronisation.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/memory/device_buffer.cuh>
#include <snack/memory/scratch_blocks.hpp>
#include <snack/simt/device_launcher.cuh>
#include <snack/simt/for_each_index.hpp>

namespace snack::inline v0 {

/// Serves one thread and one stream at a time; a const layer may serve many, each with its own. Calls make
/// its device the current one of the thread and restore what was.
class CudaContext {
public:
    using space = CudaSpace;
    template <class T>
    using buffer = DeviceBuffer<T>;

    /// What is borrowed must outlive the context and all arrays made through it.
    struct Options {
        std::optional<int> device = std::nullopt;           ///< none: the current one
        std::optional<cudaStream_t> stream = std::nullopt;  ///< borrowed, of that device; none: a stream of its own
        CudaAllocator* allocator = nullptr;                 ///< borrowed; null means cudaMallocAsync
    };

    CudaContext() : CudaContext(Options{}) {}

    /// @throws CudaError if there is no such device
    explicit CudaContext(const Options& options) {
        int device = 0;
        if (options.device.has_value()) {
            device = *options.device;
        } else {
            SNACK_CUDA("CudaContext", cudaGetDevice, &device);
        }
        const auto attribute = [device](cudaDeviceAttr name) {
            int value = 0;
            SNACK_CUDA("CudaContext", cudaDeviceGetAttribute, &value, name, device);
            return value;
        };
        multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount);
        shared_bytes_ = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        has_clusters_ = attribute(cudaDevAttrClusterLaunch) != 0;
        memory_ = std::make_shared<const detail::DeviceMemory>(
            device, options.stream.has_value() ? &*options.stream : nullptr, options.allocator);
    }

    /// Scratch space and handles move along; a moved-from context can only be destroyed or assigned to.
    CudaContext(CudaContext&&) noexcept = default;
    /// What the context had goes as in the destructor: handles first, for they refer to the stream.
    CudaContext& operator=(CudaContext&& other) noexcept {
        CudaContext moved(std::move(other));
        moved.swap(*this);
        return *this;
    }

    void swap(CudaContext& other) noexcept {
        std::swap(multiprocessors_, other.multiprocessors_);
        std::swap(shared_bytes_, other.shared_bytes_);
        std::swap(has_clusters_, other.has_clusters_);
        std::swap(memory_, other.memory_);
        std::swap(blocks_, other.blocks_);
        std::swap(handles_, other.handles_);
    }

    int device() const noexcept { return memory_->device(); }
    cudaStream_t stream() const noexcept { return memory_->stream(); }
    int multiprocessors() const noexcept { return multiprocessors_; }
    /// The most shared memory that a block can have.
    Size shared_bytes_per_block() const noexcept { return shared_bytes_; }
    /// Whether blocks of a cluster reach each other's shared memory: on devices of sm_90 and newer. The kernel
    /// must be compiled for one too.
    bool has_clusters() const noexcept { return has_clusters_; }
    /// The most blocks of a cluster; 1 without clusters.
    int most_cluster_blocks() const noexcept { return has_clusters_ ? simt::max_cluster_blocks : 1; }

    /// Starts a kernel; `where` names the operation it belongs to in the error.
    /// @throws CudaError with this launch's own error, ArgumentError for a grid beyond CUDA's limits,
    ///         UnsupportedError for clusters where there are none
    template <class Kernel>
    void launch(const Kernel& kernel, const simt::LaunchShape& shape) {
        require<UnsupportedError>(shape.cluster_x == 1 || has_clusters_, Kernel::name, "clusters of ", shape.cluster_x,
                                  " blocks need a device of sm_90 or newer, and a program built for it");
        const DeviceGuard guard(device(), Kernel::name);
        detail::require_cuda(simt::launch(stream(), shape, kernel), Kernel::name, "cudaLaunchKernelExC");
    }

    /// body(i) for each i in [0, count), each on a thread of its own or one after the other. Asynchronous.
    /// @throws CudaError if the launch fails
    template <class Body>
    void for_each_index(Size count, const Body& body) {
        launch(simt::ForEachIndex<Body>{count, body}, simt::ForEachIndex<Body>::shape(count, multiprocessors_));
    }

    /// Waits until the stream has done all its work.
    /// @throws UnsupportedError if the stream records a graph, which goes on unharmed
    void synchronize() const {
        constexpr const char* where = "CudaContext::synchronize";
        require_not_capturing(where);
        const DeviceGuard guard(device(), where);
        SNACK_CUDA(where, cudaStreamSynchronize, stream());
    }

    /// Work that this context is given from now on comes after what `other` has been given so far. Asynchronous.
    /// @throws CudaError
    void wait_for(const CudaContext& other) const { memory_->wait_for("CudaContext::wait_for", *other.memory_); }

    /// `buffer`, which may have been made for another stream, will be freed after the work that this context has been
    /// given so far.
    template <class T>
    void finish_before_freeing(const DeviceBuffer<T>& buffer) const {
        buffer.free_after("CudaContext::finish_before_freeing", *memory_);
    }

    /// Whether the stream is recording a graph.
    bool capturing() const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        SNACK_CUDA("CudaContext", cudaStreamIsCapturing, stream(), &status);
        return status != cudaStreamCaptureStatusNone;
    }

    /// For what cannot be part of a graph, such as waiting for the stream.
    /// @throws UnsupportedError if the stream records one
    void require_not_capturing(const char* where, const char* why = "the stream is recording a graph") const {
        require<UnsupportedError>(!capturing(), where, why);
    }

    /// Requires that work of this context can use the memory at `data`: memory of its device, managed memory, or
    /// host memory that CUDA knows. Legal while the stream records a graph.
    /// @throws ArgumentError that names the operand otherwise
    void require_own(const char* where, const char* name, const void* data) const {
        const DeviceGuard guard(device(), where);
        cudaPointerAttributes at{};
        SNACK_CUDA(where, cudaPointerGetAttributes, &at, data);
        const bool on_host = at.type == cudaMemoryTypeUnregistered || at.type == cudaMemoryTypeHost;
        const bool reachable = on_host ? at.type == cudaMemoryTypeHost && at.devicePointer == data
                                       : at.type == cudaMemoryTypeManaged || at.device == device();
        if (!reachable) [[unlikely]] {
            const std::string came = on_host ? "host memory" : "memory of device " + std::to_string(at.device);
            detail::fail<ArgumentError>(where, name, " lies in ", came, ", the context takes memory of device ",
                                        device());
        }
    }

    /// Overwrites every element. Asynchronous.
    template <class T>
    void fill(DeviceSpan<T> to, const std::type_identity_t<T>& value) {
        for_each_index(static_cast<Size>(to.size()), simt::FillElement<T>{to.data(), value});
    }

    /// Copies as many elements as `to` has, which is on this context's device, and `from` no fewer; `from` may be on
    /// another one, whose work on it the caller orders. Asynchronous. The arrays may overlap, which takes memory for a
    /// copy in between.
    /// @throws CudaError; of arrays that overlap as allocate
    template <class T>
    void copy(DeviceSpan<const std::type_identity_t<T>> from, DeviceSpan<T> to) const {
        if (from.data() == to.data()) {
            return;
        }
        if (overlap(from.data(), to.data(), to.size_bytes())) {
            DeviceBuffer<T> between = allocate<T>(static_cast<Size>(to.size()));
            copy_bytes(between.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToDevice);
            copy_bytes(to.data(), between.data(), to.size_bytes(), cudaMemcpyDeviceToDevice);
            return;
        }
        copy_on_devices(to.data(), from.data(), to.size_bytes());
    }

    /// Copies as many elements as `to` has, and `from` no fewer. Waits for the stream: all of `from` has been read when
    /// it returns.
    /// @throws UnsupportedError if the stream records a graph
    template <class T>
    void copy_from_host(std::span<const std::type_identity_t<T>> from, DeviceSpan<T> to) const {
        require_not_capturing("CudaContext::copy_from_host");
        copy_bytes(to.data(), from.data(), to.size_bytes(), cudaMemcpyHostToDevice);
        synchronize();
    }

    /// Copies as many elements as `to` has, and `from` no fewer. Waits for the stream.
    /// @throws UnsupportedError if the stream records a graph
    template <class T>
    void copy_to_host(DeviceSpan<const std::type_identity_t<T>> from, std::span<T> to) const {
        require_not_capturing("CudaContext::copy_to_host");
        copy_bytes(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost);
        synchronize();
    }

    /// Uninitialised memory that the caller owns, to be used and freed in the order of the stream.
    /// @throws ArgumentError for a negative count or one whose bytes pass 2^63; UnsupportedError if the stream
    ///         records a graph; CudaError, or what the caller's allocator throws, if there is no memory
    template <class T>
    DeviceBuffer<T> allocate(Size count) const {
        return DeviceBuffer<T>(count, memory_);
    }

    /// Uninitialised scratch space as HostContext::scratch gives it: calls that name the same slot share it,
    /// and what has been handed out stays valid until the context dies.
    /// @throws UnsupportedError if it would have to grow while the stream records a graph
    template <class T>
    DeviceSpan<T> scratch(int slot, Size count) {
        return blocks_.template take<T>("CudaContext::scratch", slot, count,
                                        [this](Size bytes) { return allocate<unsigned char>(bytes); });
    }

    /// Bytes of scratch space held now.
    Size scratch_bytes() const noexcept { return blocks_.bytes(); }

    /// The handle of a library, made from the context on the first call: Handle(CudaContext&). To make one
    /// and to destroy it with the context may wait for the device.
    /// @throws UnsupportedError if that would be while the stream records a graph
    template <class Handle>
    Handle& handle() {
        for (auto& [key, holder] : handles_) {
            if (key == &handle_key<Handle>) {
                return *static_cast<Holder<Handle>&>(*holder).handle;
            }
        }
        constexpr const char* where = "CudaContext::handle";
        const DeviceGuard guard(device(), where);
        require_not_capturing(where, detail::recording_text);
        auto holder = std::make_unique<Holder<Handle>>(*this);
        Handle& made = *holder->handle;
        handles_.emplace_back(&handle_key<Handle>, std::move(holder));
        return made;
    }

private:
    struct AnyHolder {
        virtual ~AnyHolder() = default;
    };
    template <class Handle>
    struct Holder final : AnyHolder {
        explicit Holder(CudaContext& ctx) : device(ctx.device()), handle(std::in_place, ctx) {}
        ~Holder() override {
            const detail::QuietDeviceGuard guard(device);
            handle.reset();
        }
        int device;
        std::optional<Handle> handle;
    };
    template <class Handle>
    static inline const char handle_key = 0;

    static bool overlap(const void* a, const void* b, std::size_t bytes) {
        const auto first = reinterpret_cast<std::uintptr_t>(a);
        const auto second = reinterpret_cast<std::uintptr_t>(b);
        return (first < second ? second - first : first - second) < bytes;
    }

    /// Between two places of device memory, of which `from` may be on another device.
    void copy_on_devices(void* to, const void* from, std::size_t bytes) const {
        if (bytes == 0) {
            return;
        }
        cudaPointerAttributes source{};
        SNACK_CUDA("CudaContext::copy", cudaPointerGetAttributes, &source, from);
        if (source.type != cudaMemoryTypeDevice || source.device == device()) {
            copy_bytes(to, from, bytes, cudaMemcpyDeviceToDevice);
            return;
        }
        // Memory of a pool is open to its own device alone, and cudaMemcpyAsync would be refused.
        const DeviceGuard guard(device(), "CudaContext::copy");
        SNACK_CUDA("CudaContext::copy", cudaMemcpyPeerAsync, to, device(), from, source.device, bytes, stream());
    }

    void copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
        if (bytes == 0) {
            return;
        }
        const DeviceGuard guard(device(), "CudaContext::copy");
        SNACK_CUDA("CudaContext::copy", cudaMemcpyAsync, to, from, bytes, kind, stream());
    }

    int multiprocessors_ = 0;
    Size shared_bytes_ = 0;
    bool has_clusters_ = false;
    detail::DeviceMemoryPtr memory_;
    detail::ScratchBlocks<CudaSpace> blocks_;
    std::vector<std::pair<const char*, std::unique_ptr<AnyHolder>>> handles_;
};

}  // namespace snack::inline v0
