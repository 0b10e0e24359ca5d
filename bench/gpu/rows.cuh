// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The rows of one matrix and operation: every method with every batch and layout, first compared with the
// oracle, then timed with a warm and a cold cache.
//
// Cold: the calls of a graph take turns over copies of the layer that hold 200 MB together, of which the next
// call's share has left the second-level cache (60 MB on an H200) when its turn comes. Of small layers that
// takes up to a thousand copies and as many calls a graph: a memset between calls would need no copies, but
// it could only be taken out by subtracting something of its own size.
// Warm: one copy, twenty calls a graph. Activations are warm in both; a network has just written them.

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include <bench/gpu/label.hpp>
#include <bench/gpu/memory_budget.cuh>
#include <bench/gpu/methods.cuh>
#include <bench/gpu/oracle.cuh>
#include <bench/gpu/timing.cuh>

namespace bench::gpu {

struct Case {
    Operation operation;
    Size out_features;
    Size in_features;
    double sparsity;
    std::vector<Size> batches;
};

struct Settings {
    Size cold_bytes = 200'000'000;
    Size most_copies = 1024;
    int warm_calls = 20;
    double longest_graph_us = 4'000;  ///< fewer calls of slow methods
    TimingOptions timing = {};
};

/// How many copies of a method's layer take turns with a cold cache.
template <Method M>
int cold_copies(const Settings& settings, const Problem& problem) {
    const Size read = std::max<Size>(1, M::bytes_read(problem));
    return static_cast<int>(std::clamp<Size>((settings.cold_bytes + read - 1) / read, 1, settings.most_copies));
}

inline std::vector<Layout> layouts_of(Size batch) {
    if (batch == 1) {
        return {Layout::row_major};  // one sample is the same memory in both
    }
    return {Layout::row_major, Layout::column_major};
}

class CaseRunner {
public:
    CaseRunner(CudaContext& ctx, Results& results, const Settings& settings, Case at)
        : ctx_(ctx), results_(results), settings_(settings), at_(std::move(at)) {}

    template <class List>
    void run() {
        for_each_method<List>([this]<class M>() { run_method<M>(); });
    }

private:
    static std::string file_of(Operation operation) {
        return operation == Operation::forward         ? "forward"
               : operation == Operation::training_step ? "training"
                                                       : "gradients";
    }

    Label label(const char* method, Size batch, Layout layout, const char* cache) const {
        return {name_of(at_.operation), method, at_.out_features, at_.in_features,
                at_.sparsity,           batch,  name_of(layout),  cache};
    }

    template <Method M>
    void run_method() {
        std::vector<std::pair<Size, Layout>> wanted;
        for (const Size batch : at_.batches) {
            for (const Layout layout : layouts_of(batch)) {
                const bool any = results_.wants(label(M::name, batch, layout, "warm")) ||
                                 results_.wants(label(M::name, batch, layout, "cold"));
                if (any && M::offers(at_.operation, batch)) {
                    wanted.emplace_back(batch, layout);
                }
            }
        }
        if (wanted.empty()) {
            return;
        }
        if (!problem_) {
            problem_ = std::make_unique<Problem>(ctx_, at_.out_features, at_.in_features, at_.sparsity);
        }
        try {
            Bench<M> bench(ctx_, *problem_, at_.operation);
            for (const auto& [batch, layout] : wanted) {
                try {
                    run_rows(bench, batch, layout);
                } catch (const snack::CudaLibraryError& error) {  // an algorithm that has no such product
                    keep_reason(label(M::name, batch, layout, "-"), std::string("skipped: ") + error.what());
                }
            }
        } catch (const std::exception& error) {
            results_.count_fault();
            keep_reason(label(M::name, 0, Layout::row_major, "-"), std::string("wrong: ended with: ") + error.what());
            ctx_.synchronize();  // throws if the device cannot go on
        }
    }

    void keep_reason(Label&& at, std::string&& note) {
        std::replace(note.begin(), note.end(), '"', '\'');
        results_.keep(file_of(at_.operation), {.label = std::move(at), .note = std::move(note)});
    }

    /// A method's layer, and copies of it as they are needed. Layers are made in one context and called in
    /// another, so that scratch space of initialisers is not taken for memory that the operation holds.
    template <class M>
    struct Bench {
        Workbench making;
        Workbench calling;
        Size peak_bytes = 0;   // while the first layer was made
        Size layer_bytes = 0;  // when it was
        double prepare_us = 0;
        std::vector<std::unique_ptr<M>> layers;

        Bench(const CudaContext& beside, const Problem& problem, Operation operation)
            : making(beside), calling(beside) {
            prepare_us = M::prepare_us(making.ctx, problem, operation);
            const auto held = [this] { return making.budget.held() - making.ctx.scratch_bytes(); };
            making.budget.forget_peak();
            const Size before = held();
            layers.push_back(std::make_unique<M>(making.ctx, problem, operation));
            peak_bytes = making.budget.peak() - before;
            layer_bytes = held() - before;
        }
        ~Bench() { making.ctx.synchronize(); }
    };

    template <class M>
    void run_rows(Bench<M>& bench, Size batch, Layout layout) {
        Operands operands(ctx_, *problem_, batch, layout);
        CudaContext& ctx = bench.calling.ctx;
        Row row{.label = label(M::name, batch, layout, "warm")};
        M& layer = *bench.layers.front();
        layer.restore(bench.making.ctx, *problem_);
        operands.forget_results(ctx_);
        const Size scratch_before = ctx.scratch_bytes();
        const Size held_before = bench.calling.budget.held();  // scratch, and what copies hold for other batches
        bench.calling.budget.forget_peak();
        call(layer, ctx, at_.operation, operands);
        row.prepare_us = bench.prepare_us;
        row.memory_bytes = bench.layer_bytes + scratch_before + bench.calling.budget.peak() - held_before;
        row.peak_bytes = std::max(bench.peak_bytes, row.memory_bytes);
        row.note = fault(bench, operands);
        if (!row.note.empty()) {
            results_.count_fault();
            results_.keep(file_of(at_.operation), row);
            return;
        }
        const double about_us = once_us(ctx, [&] { call(layer, ctx, at_.operation, operands); });
        Row warm = row;
        const bool trains = at_.operation == Operation::training_step;  // never with a warm cache: no network does
        if (!trains && results_.wants(warm.label)) {
            time_row(bench, operands, warm, 1, about_us);
        }
        row.label.cache = "cold";
        if (!results_.wants(row.label)) {
            return;
        }
        const int copies = cold_copies<M>(settings_, *problem_);
        if (copies == 1 && warm.median_us > 0) {  // one copy is as large as all have to be
            warm.label = row.label;
            results_.keep(file_of(at_.operation), warm);
        } else {
            time_row(bench, operands, row, copies, about_us);
        }
    }

    template <class M>
    void time_row(Bench<M>& bench, Operands& operands, Row& row, int copies, double about_us) {
        CudaContext& ctx = bench.calling.ctx;
        row.copies = copies;
        while (static_cast<int>(bench.layers.size()) < row.copies) {
            bench.layers.push_back(std::make_unique<M>(bench.making.ctx, *problem_, at_.operation));
        }
        for (int i = 1; i < row.copies; ++i) {  // the first call of a batch may prepare something
            call(*bench.layers[static_cast<std::size_t>(i)], ctx, at_.operation, operands);
        }
        const int rounds_wanted = (settings_.warm_calls + row.copies - 1) / row.copies;
        const auto rounds_that_fit = static_cast<int>(settings_.longest_graph_us / (about_us * row.copies));
        row.calls = row.copies * std::clamp(rounds_that_fit, 1, rounds_wanted);
        operands.forget_results(ctx_);
        const CallGraph graph(ctx, row.calls, [&](int i) {
            call(*bench.layers[static_cast<std::size_t>(i % row.copies)], ctx, at_.operation, operands);
        });
        const CallTime time = time_replays(ctx, graph, row.calls, settings_.timing);
        row.median_us = time.median_us;
        row.least_us = time.least_us;
        if (at_.operation != Operation::training_step) {  // the oracle knows the first step only
            row.note = fault(bench, operands);
            if (!row.note.empty()) {
                results_.count_fault();
            }
        }
        results_.keep(file_of(at_.operation), row);
    }

    /// What the first layer and the operands hold after calls, compared with the oracle.
    template <class M>
    std::string fault(Bench<M>& bench, Operands& operands) {
        std::unique_ptr<Oracle>& oracle = oracles_[operands.batch()];
        if (!oracle) {
            oracle = std::make_unique<Oracle>(ctx_, *problem_, at_.operation, operands);
        }
        DeviceBuffer<float> entries = ctx_.allocate<float>(oracle->needs_entries() ? problem_->nnz() : 0);
        if (oracle->needs_entries()) {
            if (at_.operation == Operation::training_step) {
                bench.layers.front()->copy_values(bench.making.ctx, *problem_, entries.span());
            } else {
                bench.layers.front()->copy_gradients(bench.making.ctx, *problem_, entries.span());
            }
        }
        return oracle->fault(ctx_, operands, std::as_const(entries).span(), M::operand_roundoff);
    }

    CudaContext& ctx_;
    Results& results_;
    const Settings& settings_;
    Case at_;
    std::unique_ptr<Problem> problem_;
    std::map<Size, std::unique_ptr<Oracle>> oracles_;
};

}  // namespace bench::gpu
