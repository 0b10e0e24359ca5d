// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Power and energy of one layer in training (the paper's figure 3 and tables 3 and 10): a graph of training
// steps, which take turns over copies of the layer as in the other cold rows, is replayed for some seconds, in
// the layout that is faster, and the energy that the GPU counts meanwhile is divided by the steps.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <bench/gpu/power.hpp>
#include <bench/gpu/rows.cuh>

namespace bench::gpu {

struct ProfiledLayer {
    Size out_features;
    Size in_features;
    Size batch;
};

class LayerProfile {
public:
    /// @param seconds  that each row is replayed for; the counter of energy moves some ten times a second
    LayerProfile(CudaContext& ctx, Results& results, const Settings& settings, const Nvml& nvml, double seconds)
        : ctx_(ctx), results_(results), settings_(settings), nvml_(nvml), seconds_(seconds) {}

    /// Sparse methods at every sparsity, dense ones at the first, whose time does not depend on it.
    void run(const ProfiledLayer& layer, const std::vector<double>& sparsities) {
        for (const double sparsity : sparsities) {
            std::optional<Problem> problem;
            const auto one = [&]<class M>() { run_method<M>(layer, sparsity, problem); };
            for_each_method<Backends>(one);
            for_each_method<MaskedMethods>(one);
            if (sparsity == sparsities.front()) {
                for_each_method<DenseMethods>(one);
            }
        }
    }

private:
    template <Method M>
    void run_method(const ProfiledLayer& at, double sparsity, std::optional<Problem>& problem) {
        Row row{.label = {"power", M::name, at.out_features, at.in_features, sparsity, at.batch, "-", "cold"}};
        if (!results_.wants(row.label)) {
            return;
        }
        row.label.operation = name_of(Operation::training_step);
        if (!nvml_.reason().empty()) {
            row.note = "skipped: " + nvml_.reason();
            results_.keep("power", row);
            return;
        }
        if (!problem) {
            problem.emplace(ctx_, at.out_features, at.in_features, sparsity);
        }
        Workbench making(ctx_);
        Workbench calling(ctx_);
        row.copies = cold_copies<M>(settings_, *problem);
        row.calls = row.copies * ((settings_.warm_calls + row.copies - 1) / row.copies);
        std::vector<std::unique_ptr<M>> layers;
        while (static_cast<int>(layers.size()) < row.copies) {
            layers.push_back(std::make_unique<M>(making.ctx, *problem, Operation::training_step));
        }
        const auto with_graph_of = [&](Layout layout, const auto& use) {
            Operands operands(calling.ctx, *problem, at.batch, layout);
            return with_graph(calling.ctx, layers, operands, row.calls, use);
        };
        double best_us = 0;
        Layout best = Layout::row_major;
        for (const Layout layout : layouts_of(at.batch)) {
            const double us = with_graph_of(layout, [&](const CallGraph& graph) {
                return time_replays(calling.ctx, graph, row.calls, {.samples = 3}).median_us;
            });
            if (best_us == 0 || us < best_us) {
                best_us = us;
                best = layout;
            }
        }
        row.label.layout = name_of(best);
        with_graph_of(best, [&](const CallGraph& graph) {
            replay_for_seconds(calling.ctx, graph, best_us, row);
            return 0.0;
        });
        results_.keep("power", row);
    }

    /// use(graph of `steps`, in which the layers take turns). Each does one before, which may prepare something.
    template <class M, class Use>
    static double with_graph(CudaContext& ctx, const std::vector<std::unique_ptr<M>>& layers, Operands& operands,
                             int steps, const Use& use) {
        for (const auto& layer : layers) {
            layer->training_step(ctx, operands);
        }
        const CallGraph graph(ctx, steps, [&](int i) {
            layers[static_cast<std::size_t>(i) % layers.size()]->training_step(ctx, operands);
        });
        const double result = use(graph);
        ctx.synchronize();
        return result;
    }

    /// Half a second first, so that the clocks and the power are those of this work.
    void replay_for_seconds(const CudaContext& ctx, const CallGraph& graph, double step_us, Row& row) const {
        const auto replays_in = [&](double seconds) {
            return std::max(1, static_cast<int>(1e6 * seconds / (step_us * row.calls)));
        };
        replay(ctx, graph, replays_in(0.5 * std::min(1.0, seconds_)));
        const int replays = replays_in(seconds_);
        const double joules_before = nvml_.joules().value_or(0);
        const auto start = std::chrono::steady_clock::now();
        replay(ctx, graph, replays);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double joules = nvml_.joules().value_or(0) - joules_before;
        const double steps = static_cast<double>(replays) * row.calls;
        row.median_us = 1e6 * seconds / steps;
        row.least_us = step_us;
        row.watts = joules / seconds;
        row.joules_per_call = joules / steps;
    }

    static void replay(const CudaContext& ctx, const CallGraph& graph, int replays) {
        for (int i = 0; i < replays; ++i) {
            graph.replay();
        }
        ctx.synchronize();
    }

    CudaContext& ctx_;
    Results& results_;
    const Settings& settings_;
    const Nvml& nvml_;
    double seconds_;
};

}  // namespace bench::gpu
