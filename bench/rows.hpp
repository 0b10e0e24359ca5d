// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The rows of a table: patterns x backends, by a fold over one list of types. A backend or peer
// joins by its name in `Backends`.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <bench/adapter.hpp>
#include <bench/measurements.hpp>
#include <bench/oracle.hpp>
#include <bench/peers/eigen.hpp>
#include <bench/peers/librsb.hpp>
#include <bench/peers/openblas.hpp>
#include <bench/peers/snack.hpp>
#include <bench/peers/threads.hpp>
#include <snack/backends/dense.hpp>
#include <snack/backends/dense_mask.hpp>
#include <snack/backends/host.hpp>

namespace bench {

using Backends = std::tuple<Snack<snack::Host>, Snack<snack::Dense, Connections::full>, Snack<snack::DenseMask>,
                            OpenBlas, EigenRowMajor, EigenColMajor, Librsb>;
/// For tables that compare `Host` with itself.
using HostAlone = std::tuple<Snack<snack::Host>>;

enum class Cache {
    warm,
    cold,  ///< calls take turns over copies of the weights that do not fit the last-level cache
};

/// One operation over the product of the lists; the rows of one sparsity, batch and number of
/// threads are compared side by side.
struct Table {
    Operation operation;
    std::vector<std::pair<Size, Size>> shapes;  ///< out_features, in_features
    std::vector<double> sparsities;
    std::vector<Size> batches;
    std::vector<int> threads;
    Cache cache = Cache::warm;
    Support support = Support::uniform;
};

/// What the copies of a cold row read together: twice the last-level cache, which is taken to have
/// 32 MiB at least.
inline Size cold_bytes() {
    Size largest = Size{32} << 20;
    for (const auto& cache : benchmark::CPUInfo::Get().caches) {
        largest = std::max(largest, static_cast<Size>(cache.size));
    }
    return 2 * largest;
}

template <Adapter A>
void call(A& adapter, Operation operation, Operands& operands) {
    switch (operation) {
        case Operation::forward:
            return adapter.forward(operands);
        case Operation::input_gradient:
            return adapter.input_gradient(operands);
        case Operation::weight_gradient:
            return adapter.weight_gradient(operands);
        case Operation::backward:
            return adapter.backward(operands);
        case Operation::training_step:
            return adapter.training_step(operands);
    }
}

/// A matrix, one operation and a number of threads: what its adapters, one for each layout, are
/// made for once and used with every batch.
template <class List>
class Comparison;

template <Adapter... Adapters>
class Comparison<std::tuple<Adapters...>> {
public:
    Comparison(Measurements& measurements, const Table& table, const Label& label, std::optional<Problem>& problem)
        : measurements_(measurements), table_(table), label_(label), problem_(problem) {}

    void run(Size batch) {
        set_process_threads(label_.threads);
        label_.batch = batch;
        std::vector<Row> group;
        std::optional<Oracle> oracle;
        for (const Layout layout : {Layout::column_major, Layout::row_major}) {
            if (batch == 1 && layout == Layout::row_major) {
                continue;  // one sample is the same memory in both
            }
            std::shared_ptr<Operands> operands;
            label_.layout = name_of(layout);
            std::apply([&](auto&... slots) { (add_row(group, oracle, operands, layout, slots), ...); },
                       layout == Layout::row_major ? row_major_ : column_major_);
        }
        measurements_.run(std::move(group));
    }

private:
    template <Adapter A>
    struct Slot {
        std::optional<A> adapter = {};
        double prepare_seconds = 0;
    };

    template <Adapter A>
    void add_row(std::vector<Row>& group, std::optional<Oracle>& oracle, std::shared_ptr<Operands>& operands,
                 Layout layout, Slot<A>& slot) {
        label_.backend = A::name;
        if (!measurements_.wants(label_)) {
            return;
        }
        Row row{.label = label_};
        if (const char* reason = A::lacks(table_.operation)) {
            row.note = std::string("skipped: ") + reason;
            group.push_back(std::move(row));
            return;
        }
        const Operation operation = table_.operation;
        if (!problem_) {
            problem_.emplace(label_.out_features, label_.in_features, label_.sparsity, table_.support);
        }
        if (!operands) {
            operands = std::make_shared<Operands>(*problem_->topology, label_.batch, layout);
        }
        row.prepare_seconds = prepare(slot, *operands);
        if (!oracle) {
            oracle.emplace(*problem_, operation, *operands);
        }
        A& checked = *slot.adapter;
        operands->forget_results();
        row.call_seconds = seconds_of([&] { call(checked, operation, *operands); });
        row.note = oracle->fault(checked, *operands);
        row.memory_bytes = checked.bytes();
        row.compulsory_bytes = compulsory_bytes(operation, problem_->topology->nnz(), label_.batch, label_.out_features,
                                                label_.in_features);
        if (!row.note.empty()) {
            measurements_.count_fault();
        } else if (table_.cache == Cache::warm) {
            row.call = [&checked, operation, operands] { call(checked, operation, *operands); };
        } else {
            call_in_turns(row, checked, operands);
        }
        const bool timed = row.call != nullptr;
        group.push_back(std::move(row));
        if constexpr (std::is_same_v<A, Snack<snack::Host>>) {
            if (timed && operation == Operation::backward) {
                add_forward_beside(group, checked, operands);
            }
        }
    }

    /// The forward pass of the very layer and arrays of the row before, in turns with it: where arrays lie and what
    /// else the machine does change times by more than what the two are compared for.
    template <Adapter A>
    void add_forward_beside(std::vector<Row>& group, A& adapter, const std::shared_ptr<Operands>& operands) const {
        Row row{.label = label_};
        row.label.operation = std::string(name_of(Operation::forward)) + "_beside_" + label_.operation;
        row.call_seconds = seconds_of([&] { adapter.forward(*operands); });
        row.compulsory_bytes = compulsory_bytes(Operation::forward, problem_->topology->nnz(), label_.batch,
                                                label_.out_features, label_.in_features);
        row.memory_bytes = adapter.bytes();
        row.call = [&adapter, operands] { adapter.forward(*operands); };
        group.push_back(std::move(row));
    }

    /// Makes and tunes an adapter; returns how long both took.
    template <Adapter A>
    double prepare(Slot<A>& slot, Operands& operands) const {
        const Operation operation = table_.operation;
        if (!slot.adapter || operation == Operation::training_step) {  // the oracle knows the first step only
            slot.prepare_seconds = seconds_of([&] {
                slot.adapter.emplace(*problem_, Setting{operation, label_.threads});
            });
        }
        return slot.prepare_seconds + seconds_of([&] { slot.adapter->tune(operands); });
    }

    /// A call of the row takes the next of several copies, which do not stay in cache.
    template <Adapter A>
    void call_in_turns(Row& row, const A& original, const std::shared_ptr<Operands>& operands) const {
        const Size count = std::max<Size>(2, cold_bytes() / original.bytes_read() + 1);
        auto copies = std::make_shared<std::vector<A>>(static_cast<std::size_t>(count), original);
        row.note = std::to_string(count) + " copies";
        row.call = [copies, operation = table_.operation, operands, next = std::size_t{0}]() mutable {
            call((*copies)[next], operation, *operands);
            next = next + 1 == copies->size() ? 0 : next + 1;
        };
    }

    Measurements& measurements_;
    const Table& table_;
    Label label_;
    std::optional<Problem>& problem_;
    std::tuple<Slot<Adapters>...> column_major_;
    std::tuple<Slot<Adapters>...> row_major_;
};

template <class List>
void run_table(Measurements& measurements, const Table& table) {
    const std::string name = name_of(table.operation);
    for (const auto& [out_features, in_features] : table.shapes) {
        for (const double sparsity : table.sparsities) {
            std::optional<Problem> problem;
            for (const int threads : table.threads) {
                const Label label{.operation = table.support == Support::skewed ? name + "_skewed" : name,
                                  .backend = {},
                                  .out_features = out_features,
                                  .in_features = in_features,
                                  .sparsity = sparsity,
                                  .threads = threads,
                                  .cache = table.cache == Cache::cold ? "cold" : "warm"};
                Comparison<List> comparison(measurements, table, label, problem);
                for (const Size batch : table.batches) {
                    comparison.run(batch);
                }
            }
        }
    }
}

}  // namespace bench
