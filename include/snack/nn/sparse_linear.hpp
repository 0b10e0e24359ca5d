// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The truly sparse linear layer (paper, section 3): weights, gradients and topology updates live
// on the non-zeros only. The backend is a template parameter; the layer owns the parameters,
// checks what comes in, and keeps topology, plan, values and gradients in step.

#include <memory>
#include <utility>

#include <snack/concepts/backend.hpp>
#include <snack/concepts/context.hpp>
#include <snack/dst/rewire.hpp>
#include <snack/init/uniform_topology.hpp>
#include <snack/init/values.hpp>
#include <snack/memory/copy.hpp>
#include <snack/nn/activate.hpp>
#include <snack/nn/flat_array.hpp>
#include <snack/nn/layer_options.hpp>
#include <snack/nn/operand_checks.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0 {

/// y = x W^T + bias with W (out_features, in_features) stored as nnz connections.
///
/// Parameters are flat arrays of nnz elements in canonical order, sorted by (row, column). A const
/// layer may be used from several threads, each with a context of its own. Copying shares the
/// immutable topology and plan and copies the parameters. A moved-from layer has no parameters and no
/// topology: it can be destroyed and assigned to, and calls that need one throw UnsupportedError.
template <class B, class T>
requires Backend<B, T>
class SparseLinear {
public:
    using backend = B;
    using scalar = T;
    using context_type = ContextOf<B>;
    using space = SpaceOf<B>;
    static_assert(CanBeRewiredIn<space>, "SparseLinear on a GPU needs <snack/nn/sparse_linear.cuh>");
    template <class U>
    using view = MatrixView<U, space>;
    template <class U>
    using span = SpanIn<U, space>;
    using topology_ptr = TopologyPtrIn<space>;
    using report_type = RewireReportIn<space>;

    /// A layer with a uniformly random topology (Algorithm 2), values from the initialiser and a
    /// zero bias; the same bits for the same seed and stream anywhere.
    /// @throws ShapeError for a bad extent; ArgumentError for a bad sparsity or nnz
    template <ValueInitializer Initializer = KaimingUniform>
    SparseLinear(context_type& ctx, const LayerOptions& options, const Initializer& initializer = {})
        : SparseLinear(Bare{}, ctx, random_topology(ctx, options), options.bias ? options.out_features : 0,
                       {options.seed, options.stream, 0, options.use}) {
        initialize_values(ctx, *topology_, initializer, key(Purpose::values), values_.span());
        values_changed(ctx);
    }

    /// A layer from the caller's matrix and bias (out_features elements, or none for no bias).
    /// @throws ShapeError if the bias has another extent; UnsupportedError for an empty matrix object
    SparseLinear(context_type& ctx, const CooMatrix<T>& matrix, std::span<const T> bias = {},
                 const MatrixLayerOptions& options = {})
        : SparseLinear(Bare{}, ctx, topology_in(ctx, detail::checked_topology(matrix, bias)),
                       static_cast<Size>(bias.size()), options) {
        ctx.copy_from_host(matrix.values(), values_.span());
        ctx.copy_from_host(bias, bias_.span());
        values_changed(ctx);
    }

    /// A layer from a topology that was checked already, one value for each entry and a bias (out_features
    /// elements, or none for no bias), all in the layer's memory space. The topology is shared, the arrays are
    /// copied in the order of the context's stream. On a GPU a topology is freed in the order of the stream of
    /// the context it was made through, so that should be this one's.
    /// @throws UnsupportedError for a null topology; ShapeError for a wrong extent; ArgumentError for memory that
    ///         the device of the context does not reach
    SparseLinear(context_type& ctx, const topology_ptr& topology, span<const T> values, span<const T> bias = {},
                 const MatrixLayerOptions& options = {})
        : SparseLinear(Bare{}, ctx, detail::checked_topology(ctx, topology, values, bias),
                       static_cast<Size>(bias.size()), options) {
        ctx.copy(values, values_.span());
        ctx.copy(bias, bias_.span());
        values_changed(ctx);
    }

    /// A copy of a layer of another backend, which may live in another memory space: `from` is a context
    /// of that one. Copies on the host, and those on one stream, share the topology. Work that either context
    /// was given before comes before the copy, and what it is given later comes after.
    template <class Other>
    SparseLinear(context_type& ctx, ContextOf<Other>& from, const SparseLinear<Other, T>& other)
        : SparseLinear(Bare{}, ctx, copy_topology(ctx, from, other.usable("SparseLinear").topology_),
                       other.bias_.size(), other.options_) {
        copy_between(ctx, from, other.values(), values_.span());
        copy_between(ctx, from, other.gradients(), gradients_.span());
        copy_between(ctx, from, other.bias(), bias_.span());
        copy_between(ctx, from, other.bias_gradients(), bias_gradients_.span());
        values_changed(ctx);
    }

    /// On a GPU copies in the order of the stream of the context that `other` was made through.
    SparseLinear(const SparseLinear& other)
        : topology_(other.topology_),
          plan_(copy_plan(other.plan_)),
          values_(other.values_),
          gradients_(other.gradients_),
          bias_(other.bias_),
          bias_gradients_(other.bias_gradients_),
          options_(other.options_) {}
    SparseLinear(SparseLinear&& other) noexcept = default;
    SparseLinear& operator=(const SparseLinear& other) { return *this = SparseLinear(other); }
    SparseLinear& operator=(SparseLinear&& other) noexcept {
        SparseLinear moved(std::move(other));
        moved.swap(*this);
        return *this;
    }
    ~SparseLinear() = default;

    void swap(SparseLinear& other) noexcept {
        std::swap(topology_, other.topology_);
        std::swap(plan_, other.plan_);
        std::swap(values_, other.values_);
        std::swap(gradients_, other.gradients_);
        std::swap(bias_, other.bias_);
        std::swap(bias_gradients_, other.bias_gradients_);
        std::swap(options_, other.options_);
    }
    friend void swap(SparseLinear& a, SparseLinear& b) noexcept { a.swap(b); }

    /// y = activation(x W^T + bias).
    ///
    /// @param x           (batch, in_features)
    /// @param y           (batch, out_features), overwritten; must not overlap x
    /// @param activation  applied on the way out. backward takes the gradient of the sum before it: for
    ///                    relu, the gradient of y where y is positive and 0 elsewhere
    /// O(nnz batch) work. Allocates scratch space, if any, on the first call of a batch size and placement of
    /// the views.
    /// @throws ShapeError if a view disagrees with the layer, the layouts differ, or y starts where
    ///         x does (other overlaps are not found); ArgumentError if a view or the layer lies where the
    ///         device of the context does not reach
    void forward(context_type& ctx, view<const T> x, view<T> y, Activation activation = Activation::none) const {
        constexpr const char* where = "SparseLinear::forward";
        require_usable(where);
        detail::check_extents(where, "x", x, in_features(), "takes", x.batch());
        detail::check_extents(where, "y", y, out_features(), "gives", x.batch());
        detail::check_pair(where, "x", x, "y", y);
        detail::check_memory(where, "the layer", ctx, topology_->row_offsets());
        detail::check_memory(where, "x", ctx, x);
        detail::check_memory(where, "y", ctx, y);
        if constexpr (FusesActivation<B, T>) {
            B::template forward<T>(ctx, *plan_, values(), bias(), x, y, activation);
        } else {
            B::template forward<T>(ctx, *plan_, values(), bias(), x, y);
            detail::activate(ctx, y, activation);
        }
    }

    /// The gradients of weights and bias, and dx = dy W.
    ///
    ///   dw[e] (+)= sum_b dy(b, row[e]) x(b, column[e]),   db[i] (+)= sum_b dy(b, i)
    ///
    /// @param x     (batch, in_features), the input of the forward call
    /// @param dy    (batch, out_features), gradient of the pre-activation
    /// @param dx    (batch, in_features), always overwritten; must not overlap dy or x
    /// @param mode  whether gradients() and bias_gradients() are overwritten or added to
    /// O(nnz batch) work. Allocates scratch space, if any, on the first call of a batch size and placement of
    /// the views.
    /// @throws ShapeError, ArgumentError as forward; UnsupportedError for an inference layer; what the
    ///         allocator throws for scratch space, before gradients are written
    void backward(context_type& ctx, view<const T> x, view<const T> dy, view<T> dx,
                  GradientMode mode = GradientMode::overwrite) {
        constexpr const char* where = "SparseLinear::backward";
        check_backward(ctx, where, x, dy);
        detail::check_extents(where, "dx", dx, in_features(), "takes", x.batch());
        detail::check_pair(where, "dy", dy, "dx", dx);
        detail::check_pair(where, "x", x, "dx", dx);
        detail::check_memory(where, "dx", ctx, dx);
        const T beta = beta_of(mode);
        if constexpr (FusesBackward<B, T>) {
            B::template backward<T>(ctx, *plan_, const_values(), x, dy, dx, gradients(), beta);
        } else {
            B::template input_gradient<T>(ctx, *plan_, const_values(), dy, dx);
            B::template weight_gradient<T>(ctx, *plan_, x, dy, gradients(), beta);
        }
        bias_backward(ctx, dy, beta);
    }

    /// The same without the input gradient, for the first layer of a network.
    void backward(context_type& ctx, view<const T> x, view<const T> dy, GradientMode mode = GradientMode::overwrite) {
        check_backward(ctx, "SparseLinear::backward", x, dy);
        const T beta = beta_of(mode);
        B::template weight_gradient<T>(ctx, *plan_, x, dy, gradients(), beta);
        bias_backward(ctx, dy, beta);
    }

    /// Drops connections chosen by the pruner and grows as many chosen by the grower.
    ///
    /// nnz and the addresses of all parameter arrays stay. Kept connections keep value and gradient
    /// bit for bit; grown ones start at zero in both. The gradient is not applied. A dropped
    /// connection cannot return in the same step. Carry per-connection state of your own along with
    /// the report's maps; plans and topology pointers taken before are out of date.
    /// O(nnz) time and memory.
    /// @throws TopologyError if a rule returns what it must not; ArgumentError from a rule or for a layer that
    ///         the device of the context does not reach; what the allocator throws. The layer is unchanged then.
    template <class P, class G>
    report_type rewire(context_type& ctx, const P& pruner, const G& grower) {
        static_assert(Pruner<P, T, context_type>, "SparseLinear::rewire: the first rule is not a Pruner");
        static_assert(Grower<G, context_type>, "SparseLinear::rewire: the second rule is not a Grower");
        require_usable("SparseLinear::rewire");
        detail::check_memory("SparseLinear::rewire", "the layer", ctx, topology_->row_offsets());
        report_type report = propose_rewire(ctx, topology_, const_values(), pruner, grower, key(Purpose::growth));
        if (report.after() != topology_) {
            auto plan = std::make_shared<Plan>(B::template make_plan<T>(ctx, report.after(), options_.use));
            report.apply_map(ctx, values(), T{0});
            if (options_.use == PlanUse::training) {
                report.apply_map(ctx, gradients(), T{0});
            }
            topology_ = report.after();
            plan_ = std::move(plan);
            values_changed(ctx);
        }
        ++options_.rewire_count;
        return report;
    }

    /// Moves parameters into memory that the caller lends, with their current contents; an empty
    /// span leaves that array where it is. The memory must outlive the layer and its moves; a copy
    /// of the layer, and a layer that is assigned to, has memory of its own again.
    /// @throws ShapeError, before anything is written, if an extent is wrong, or if a span overlaps
    ///         another one or the memory of another array of the layer; ArgumentError for memory, or a layer,
    ///         that the device of the context does not reach; UnsupportedError if its stream records a graph
    void bind(context_type& ctx, const ParameterSpans<T, space>& spans) {
        require_usable("SparseLinear::bind");
        if constexpr (FreesInOrder<context_type>) {
            ctx.require_not_capturing("SparseLinear::bind");
        }
        detail::check_memory("SparseLinear::bind", "the layer", ctx, topology_->row_offsets());
        const span<T> lent[] = {spans.values, spans.gradients, spans.bias, spans.bias_gradients};
        FlatArray<T, space>* const arrays[] = {&values_, &gradients_, &bias_, &bias_gradients_};
        const char* const names[] = {"values", "gradients", "bias", "bias_gradients"};
        for (int i = 0; i < 4; ++i) {
            const Size wanted = arrays[i]->size();
            require<ShapeError>(lent[i].empty() || static_cast<Size>(lent[i].size()) == wanted, "SparseLinear::bind",
                                names[i], " has ", lent[i].size(), " elements, the layer needs ", wanted);
            detail::check_memory("SparseLinear::bind", names[i], ctx, lent[i]);
            for (int j = 0; j < 4; ++j) {
                require<ShapeError>(i == j || (!overlap(lent[i], lent[j]) && !overlap(lent[i], arrays[j]->span())),
                                    "SparseLinear::bind", names[i], " overlaps ", names[j]);
            }
        }
        for (int i = 0; i < 4; ++i) {
            if (!lent[i].empty()) {
                arrays[i]->move_to(ctx, lent[i]);
            }
        }
    }

    /// Tells the layer that values were written from outside, so that a plan which copies them is
    /// renewed. The optimisers of the library call it; a no-op for backends that read values in place.
    void values_changed(context_type& ctx) {
        require_usable("SparseLinear::values_changed");
        detail::check_memory("SparseLinear::values_changed", "the layer", ctx, topology_->row_offsets());
        if constexpr (CopiesValues<B, T>) {
            B::template refresh<T>(ctx, *plan_, const_values());
        }
    }

    Size out_features() const noexcept { return topology_ ? topology_->out_features() : 0; }
    Size in_features() const noexcept { return topology_ ? topology_->in_features() : 0; }
    Size nnz() const noexcept { return values_.size(); }
    double sparsity() const noexcept { return topology_ ? topology_->sparsity() : 0; }
    bool has_bias() const noexcept { return bias_.size() > 0; }

    /// How often the layer has been rewired; part of the random key, so save it with the layer.
    std::uint32_t rewire_count() const noexcept { return options_.rewire_count; }

    /// The random key that rewires draw from, and what the layer is for: what a layer made from this one's matrix
    /// needs to go on like it.
    const MatrixLayerOptions& options() const noexcept { return options_; }

    /// The coordinates; null for a moved-from layer.
    const topology_ptr& topology() const noexcept { return topology_; }
    /// @throws UnsupportedError for a moved-from layer
    const PlanOf<B, T>& plan() const {
        require_usable("SparseLinear::plan");
        return *plan_;
    }

    /// Flat arrays: values and gradients of the connections (nnz), bias and its gradient
    /// (out_features, or empty). Call values_changed after writing values.
    span<T> values() noexcept { return values_.span(); }
    span<const T> values() const noexcept { return values_.span(); }
    span<T> gradients() noexcept { return gradients_.span(); }
    span<const T> gradients() const noexcept { return gradients_.span(); }
    span<T> bias() noexcept { return bias_.span(); }
    span<const T> bias() const noexcept { return bias_.span(); }
    span<T> bias_gradients() noexcept { return bias_gradients_.span(); }
    span<const T> bias_gradients() const noexcept { return bias_gradients_.span(); }

    /// Bytes held, scratch space of contexts apart.
    MemoryReport memory() const {
        return {values_.bytes(),
                gradients_.bytes(),
                bias_.bytes(),
                bias_gradients_.bytes(),
                topology_ ? topology_->bytes() : 0,
                plan_ ? plan_->bytes() : 0};
    }

private:
    using Plan = PlanOf<B, T>;

    struct Bare {};  // keeps the constructor below apart from what callers mean

    SparseLinear(Bare, context_type& ctx, topology_ptr topology, Size bias, const MatrixLayerOptions& options)
        : topology_(std::move(topology)),
          plan_(std::make_shared<Plan>(B::template make_plan<T>(ctx, topology_, options.use))),
          values_(zeros(ctx, topology_->nnz())),
          gradients_(zeros(ctx, options.use == PlanUse::training ? topology_->nnz() : 0)),
          bias_(zeros(ctx, bias)),
          bias_gradients_(zeros(ctx, options.use == PlanUse::training ? bias : 0)),
          options_(options) {}

    static topology_ptr random_topology(context_type& ctx, const LayerOptions& options) {
        const Size nnz = detail::checked_entries(options);
        return uniform_topology(ctx, options.out_features, options.in_features, nnz,
                                {options.seed, options.stream, Purpose::topology, 0});
    }

    static BufferIn<T, space> zeros(context_type& ctx, Size count) {
        BufferIn<T, space> buffer = ctx.template allocate<T>(count);
        ctx.fill(buffer.span(), T{0});
        return buffer;
    }

    /// Plans that hold no values are immutable and shared; others belong to one layer.
    static std::shared_ptr<Plan> copy_plan(const std::shared_ptr<Plan>& plan) {
        if constexpr (CopiesValues<B, T>) {
            return plan ? std::make_shared<Plan>(*plan) : nullptr;
        } else {
            return plan;
        }
    }

    static bool overlap(span<const T> a, span<const T> b) {
        const auto address = [](const T* element) { return reinterpret_cast<std::uintptr_t>(element); };
        return !a.empty() && !b.empty() && address(a.data()) < address(b.data() + b.size()) &&
               address(b.data()) < address(a.data() + a.size());
    }

    static T beta_of(GradientMode mode) { return mode == GradientMode::accumulate ? T{1} : T{0}; }

    void bias_backward(context_type& ctx, view<const T> dy, T beta) {
        if (has_bias()) {
            B::template bias_gradient<T>(ctx, dy, bias_gradients(), beta);
        }
    }

    span<const T> const_values() const noexcept { return values_.span(); }

    RandomKey key(Purpose purpose) const { return {options_.seed, options_.stream, purpose, options_.rewire_count}; }

    const SparseLinear& usable(const char* where) const {
        require_usable(where);
        return *this;
    }

    void require_usable(const char* where) const {
        require<UnsupportedError>(topology_ != nullptr, where, "the layer is empty, it was moved from");
    }

    void check_backward(const context_type& ctx, const char* where, const view<const T>& x,
                        const view<const T>& dy) const {
        require_usable(where);
        require<UnsupportedError>(options_.use == PlanUse::training, where, "the layer was made for inference only");
        detail::check_extents(where, "x", x, in_features(), "takes", x.batch());
        detail::check_extents(where, "dy", dy, out_features(), "gives", x.batch());
        detail::check_layout(where, "x", x, "dy", dy);
        detail::check_memory(where, "the layer", ctx, topology_->row_offsets());
        detail::check_memory(where, "x", ctx, x);
        detail::check_memory(where, "dy", ctx, dy);
    }

    template <class OtherBackend, class OtherScalar>
    requires Backend<OtherBackend, OtherScalar>
    friend class SparseLinear;

    topology_ptr topology_;
    std::shared_ptr<Plan> plan_;
    FlatArray<T, space> values_;
    FlatArray<T, space> gradients_;
    FlatArray<T, space> bias_;
    FlatArray<T, space> bias_gradients_;
    MatrixLayerOptions options_;
};

}  // namespace snack::inline v0
