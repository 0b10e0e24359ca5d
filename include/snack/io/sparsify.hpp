// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A dense weight becomes a sparse one: by magnitude, for the layer, for several layers together, for each row
// or for groups of inputs (N:M), or by a threshold. The weight is read in passes, a few rows at a time; no
// second copy of it is made.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <snack/core/error.hpp>
#include <snack/io/rank_cut.hpp>
#include <snack/io/row_source.hpp>
#include <snack/sparse/coo_matrix.hpp>

namespace snack::inline v0::io {

/// Keeps round((1 - sparsity) cells) weights of largest magnitude, of the layer or of all layers together.
struct LargestMagnitudes {
    double sparsity = 0;
};

/// Keeps round((1 - sparsity) columns) weights of largest magnitude in each row.
struct LargestOfEachRow {
    double sparsity = 0;
};

/// Keeps `kept` weights of largest magnitude of every `group` neighbours in a row, columns 0 to group - 1 and so
/// on: 2:4 is {.kept = 2, .group = 4}. The columns left over at the end of a row keep as many, or all if they are
/// fewer.
struct LargestOfGroups {
    Size kept = 2;
    Size group = 4;
};

/// Keeps |w| > threshold: with 0, all that is not zero.
struct MagnitudesAbove {
    double threshold = 0;
};

struct SparsifyOptions {
    Allocator* allocator = nullptr;     ///< borrowed; of the result and of what it takes to make it
    Size buffer_bytes = Size{1} << 20;  ///< of rows read at a time, or one row if that is longer
};

namespace detail {

/// Entries kept so far, of as many as were promised.
template <Scalar T>
class KeptEntries {
public:
    KeptEntries(const char* where, Size rows, Size columns, Size entries, Allocator* allocator)
        : where_(where), rows_(rows), columns_(columns), cells_(entries, allocator), values_(entries, allocator) {}

    /// `cell` is row * columns + column; they come in ascending order.
    void keep(Size cell, T value) {
        require_unchanged(found_ < cells_.size());
        cells_[found_] = cell;
        values_[found_++] = value;
    }

    CooMatrix<T> matrix() && {
        require_unchanged(found_ == cells_.size());
        return CooMatrix<T>(Topology::from_cells(rows_, columns_, std::as_const(cells_).span(), values_.allocator()),
                            std::move(values_));
    }

private:
    void require_unchanged(bool same) const {
        require<FileError>(same, where_, "the weights changed while they were read");
    }

    const char* where_;
    Size rows_;
    Size columns_;
    Buffer<Size> cells_;
    Buffer<T> values_;
    Size found_ = 0;
};

template <Scalar T, RowSource<T> S>
Buffer<T> buffer_for(const S& source, const SparsifyOptions& options) {
    return buffer_for_rows<T>(source.rows(), source.columns(), options.buffer_bytes, options.allocator);
}

/// visit(cell, value) for all cells of a source, in order.
template <Scalar T, RowSource<T> S, class Visit>
void for_each_cell(const S& source, Buffer<T>& buffer, const Visit& visit) {
    Size cell = 0;
    for_each_block<T>(source, buffer, [&](Size, Size, std::span<const T> elements) {
        for (const T value : elements) {
            visit(cell++, value);
        }
    });
}

/// The cut at the `entries` largest of all cells of some sources.
template <Scalar T, RowSource<T> S>
RankCut<MagnitudeRank<T>> cut_of_sources(std::span<const S> sources, Size cells, Size entries,
                                         const SparsifyOptions& options) {
    const auto for_each_rank = [&](const auto& visit) {
        for (const S& source : sources) {
            Buffer<T> buffer = buffer_for<T>(source, options);
            for_each_cell<T>(source, buffer, [&](Size, T value) { visit(magnitude_rank(value)); });
        }
    };
    if (cells <= few_ranks) {
        Buffer<MagnitudeRank<T>> ranks(cells, options.allocator);
        Size seen = 0;
        for_each_rank([&](auto rank) { ranks[seen++] = rank; });
        return cut_at_largest(ranks.span(), entries);
    }
    RankSearch<MagnitudeRank<T>> search(entries, options.allocator);
    while (search.searching()) {
        for_each_rank([&](auto rank) { search.see(rank); });
        search.next_digit();
    }
    return search.cut();
}

template <Scalar T, RowSource<T> S>
Size count_kept(const S& source, Buffer<T>& buffer, RankCut<MagnitudeRank<T>>& cut) {
    Size kept = 0;
    for_each_cell<T>(source, buffer, [&](Size, T value) { kept += cut.among_largest(magnitude_rank(value)) ? 1 : 0; });
    return kept;
}

/// Keeps the `entries` weights that the cut keeps.
template <Scalar T, RowSource<T> S>
CooMatrix<T> keep_by_cut(const char* where, const S& source, Buffer<T>& buffer, RankCut<MagnitudeRank<T>>& cut,
                         Size entries, Allocator* allocator) {
    KeptEntries<T> kept(where, source.rows(), source.columns(), entries, allocator);
    for_each_cell<T>(source, buffer, [&](Size cell, T value) {
        if (cut.among_largest(magnitude_rank(value))) {
            kept.keep(cell, value);
        }
    });
    return std::move(kept).matrix();
}

/// Keeps the `kept` largest of each group of a row, or all of a group that is smaller.
template <Scalar T, RowSource<T> S>
CooMatrix<T> keep_in_groups(const char* where, const S& source, Size kept, Size group, const SparsifyOptions& options) {
    const Size columns = source.columns();
    const Size rest = group > 0 ? columns % group : 0;
    const Size of_row = group > 0 ? columns / group * kept + (rest < kept ? rest : kept) : 0;
    KeptEntries<T> entries(where, source.rows(), columns, source.rows() * of_row, options.allocator);
    Buffer<T> buffer = buffer_for<T>(source, options);
    Buffer<MagnitudeRank<T>> ranks(columns < group ? columns : group, options.allocator);
    for_each_block<T>(source, buffer, [&](Size first, Size rows, std::span<const T> elements) {
        const T* value = elements.data();
        for (Size row = first; row < first + rows; ++row) {
            for (Size begin = 0; begin < columns; begin += group) {
                const Size count = columns - begin < group ? columns - begin : group;
                for (Size i = 0; i < count; ++i) {
                    ranks[i] = magnitude_rank(value[i]);
                }
                auto cut =
                    cut_at_largest(ranks.span().first(static_cast<std::size_t>(count)), kept < count ? kept : count);
                for (Size i = 0; i < count; ++i, ++value) {
                    if (cut.among_largest(magnitude_rank(*value))) {
                        entries.keep(row * columns + begin + i, *value);
                    }
                }
            }
        }
    });
    return std::move(entries).matrix();
}

/// The cut that keeps what is above a threshold: at the largest T that is not.
template <Scalar T>
RankCut<MagnitudeRank<T>> cut_at(double threshold) {
    using Limits = std::numeric_limits<T>;
    if (threshold > static_cast<double>(Limits::max())) {
        const bool infinite = threshold > std::numeric_limits<double>::max();
        return {magnitude_rank(infinite ? Limits::infinity() : Limits::max()), 0};
    }
    const T rounded = static_cast<T>(threshold);
    const bool above = static_cast<double>(rounded) > threshold;
    return {static_cast<MagnitudeRank<T>>(magnitude_rank(rounded) - (above ? 1 : 0)), 0};
}

}  // namespace detail

/// The weights of largest magnitude of several layers under one threshold: round((1 - sparsity) cells of all).
///
/// Equal magnitudes: the layer that comes first, and in it the lower cell, row * columns + column, is kept first.
/// NaN ranks below zero, infinity above all, as for MagnitudePruner.
/// @param sources  one for each layer; the results have their shapes, (rows, columns)
/// Reads all layers up to three times, or five for double, and once more if there are several. Memory for the
/// result, 8 bytes for each entry of it, the buffer, and 512 KiB or, for up to 65,536 cells, as many ranks.
/// @throws ArgumentError unless 0 <= sparsity <= 1; ShapeError for an extent beyond 2^31 - 1; what the sources
///         and the allocator throw; FileError if a source changes meanwhile
template <Scalar T, RowSource<T> S>
std::vector<CooMatrix<T>> sparsify_together(std::span<const S> sources, const LargestMagnitudes& rule,
                                            const SparsifyOptions& options = {}) {
    constexpr const char* where = "sparsify";
    Size cells = 0;
    for (const S& source : sources) {
        snack::detail::check_features(where, source.rows(), source.columns());
        require<ShapeError>(!__builtin_add_overflow(cells, source.rows() * source.columns(), &cells), where,
                            "the layers have more than 2^63 - 1 cells");
    }
    const Size entries = snack::detail::entries_of_cells(where, cells, rule.sparsity);
    auto cut = detail::cut_of_sources<T>(sources, cells, entries, options);
    std::vector<CooMatrix<T>> layers;
    for (const S& source : sources) {
        Buffer<T> buffer = detail::buffer_for<T>(source, options);
        auto counting = cut;
        const Size own = sources.size() == 1 ? entries : detail::count_kept<T>(source, buffer, counting);
        layers.push_back(detail::keep_by_cut<T>(where, source, buffer, cut, own, options.allocator));
    }
    return layers;
}

/// The weights of largest magnitude of one layer; else as `sparsify_together`.
template <Scalar T, RowSource<T> S>
CooMatrix<T> sparsify(const S& source, const LargestMagnitudes& rule, const SparsifyOptions& options = {}) {
    return std::move(sparsify_together<T>(std::span<const S>(&source, 1), rule, options).front());
}

/// The weights of largest magnitude of each row; equal ones by the lower column. Reads the layer once.
/// @throws as `sparsify_together`
template <Scalar T, RowSource<T> S>
CooMatrix<T> sparsify(const S& source, const LargestOfEachRow& rule, const SparsifyOptions& options = {}) {
    constexpr const char* where = "sparsify";
    snack::detail::check_features(where, source.rows(), source.columns());
    const Size kept = snack::detail::entries_of_cells(where, source.columns(), rule.sparsity);
    return detail::keep_in_groups<T>(where, source, kept, source.columns(), options);
}

/// N:M sparsity along the inputs; equal magnitudes by the lower column. Reads the layer once.
/// @throws as `sparsify_together`; ArgumentError unless 0 <= kept <= group and group > 0
template <Scalar T, RowSource<T> S>
CooMatrix<T> sparsify(const S& source, const LargestOfGroups& rule, const SparsifyOptions& options = {}) {
    constexpr const char* where = "sparsify";
    require<ArgumentError>(rule.kept >= 0 && rule.group > 0 && rule.kept <= rule.group, where, "cannot keep ",
                           rule.kept, " of every ", rule.group);
    snack::detail::check_features(where, source.rows(), source.columns());
    return detail::keep_in_groups<T>(where, source, rule.kept, rule.group, options);
}

/// The weights above a threshold; NaN is never. Reads the layer twice.
/// @throws as `sparsify_together`; ArgumentError for a threshold that is negative or NaN
template <Scalar T, RowSource<T> S>
CooMatrix<T> sparsify(const S& source, const MagnitudesAbove& rule, const SparsifyOptions& options = {}) {
    constexpr const char* where = "sparsify";
    require<ArgumentError>(rule.threshold >= 0, where, "threshold ", rule.threshold, " is not 0 or more");
    snack::detail::check_features(where, source.rows(), source.columns());
    auto cut = detail::cut_at<T>(rule.threshold);
    Buffer<T> buffer = detail::buffer_for<T>(source, options);
    const Size entries = detail::count_kept<T>(source, buffer, cut);
    return detail::keep_by_cut<T>(where, source, buffer, cut, entries, options.allocator);
}

}  // namespace snack::inline v0::io
