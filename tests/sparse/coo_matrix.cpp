// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A matrix keeps each value with its coordinate, through sorting, copies, moves and swaps.

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include <snack/sparse/coo_matrix.hpp>
#include <tests/sparse/random_cells.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::text_of;

namespace {

template <class T>
struct Entries {
    std::vector<Index> rows;
    std::vector<Index> columns;
    std::vector<T> values;
    CooView<T> view(Size out_features, Size in_features) const {
        return {out_features, in_features, rows, columns, values};
    }
};

const Entries<float> five = {{2, 0, 2, 1, 0}, {0, 1, 2, 1, 0}, {1, 2, 4, 8, 16}};

template <class T>
std::vector<T> values_of(const CooMatrix<T>& matrix) {
    return {matrix.values().begin(), matrix.values().end()};
}

std::vector<Size> permutation_of(const CooMatrix<float>& matrix) {
    return {matrix.permutation().begin(), matrix.permutation().end()};
}

}  // namespace

TEST_CASE("values follow their coordinates into canonical order", "[sparse][coo_matrix]") {
    const CooMatrix<float> matrix(five.view(3, 3));

    CHECK(matrix.out_features() == 3);
    CHECK(matrix.in_features() == 3);
    CHECK(matrix.nnz() == 5);
    CHECK(values_of(matrix) == std::vector<float>{16, 2, 8, 1, 4});
    CHECK(permutation_of(matrix) == std::vector<Size>{4, 1, 3, 0, 2});
}

TEMPLATE_TEST_CASE("values of random matrices follow, and the permutation sorts any other array",
                   "[sparse][coo_matrix]", float, double) {
    tests::Dice dice(1);
    for (int round = 0; round < 50; ++round) {
        const Size out_features = 1 + dice.below(50);
        const Size in_features = 1 + dice.below(50);
        std::vector<Size> cells =
            dice.cells(out_features * in_features, dice.below(out_features * in_features / 2 + 1));
        dice.shuffle(cells);
        Entries<TestType> entries;
        for (const Size cell : cells) {
            entries.rows.push_back(static_cast<Index>(cell / in_features));
            entries.columns.push_back(static_cast<Index>(cell % in_features));
            entries.values.push_back(static_cast<TestType>(cell));
        }

        const CooMatrix<TestType> matrix(entries.view(out_features, in_features));

        for_each_entry(*matrix.topology(), [&](Size entry, Index row, Index column) {
            const Size cell = cell_index(row, column, in_features);
            REQUIRE(matrix.values().data()[entry] == static_cast<TestType>(cell));
            REQUIRE(cells[static_cast<std::size_t>(matrix.permutation().data()[entry])] == cell);
        });
    }
}

TEST_CASE("a stored zero is an entry", "[sparse][coo_matrix]") {
    const Entries<float> entries = {{0, 1}, {0, 1}, {0, 0}};

    CHECK(CooMatrix<float>(entries.view(2, 2)).nnz() == 2);
}

TEST_CASE("a wrong number of values is refused", "[sparse][coo_matrix]") {
    Entries<float> entries = five;
    entries.values.pop_back();
    CHECK(text_of<ShapeError>([&] { CooMatrix<float>(entries.view(3, 3)); }) == "CooMatrix: 4 values for 5 entries");
    entries.values.assign(6, 0.0f);
    REQUIRE_THROWS_AS(CooMatrix<float>(entries.view(3, 3)), ShapeError);

    const TopologyPtr topology = CooMatrix<float>(five.view(3, 3)).topology();
    REQUIRE_THROWS_AS(CooMatrix<float>(topology, Buffer<float>(4)), ShapeError);
    REQUIRE_THROWS_AS(CooMatrix<float>(topology, Buffer<float>(6)), ShapeError);
    REQUIRE_THROWS_AS(CooMatrix<float>(nullptr, Buffer<float>(0)), ShapeError);
}

TEST_CASE("duplicates and coordinates out of range are refused", "[sparse][coo_matrix]") {
    const Entries<double> twice = {{0, 0}, {1, 1}, {2, 3}};

    REQUIRE_THROWS_AS(CooMatrix<double>(twice.view(1, 2)), TopologyError);
    REQUIRE_THROWS_AS(CooMatrix<float>(five.view(2, 3)), TopologyError);
    REQUIRE_THROWS_AS(CooMatrix<float>(five.view(-1, 3)), ShapeError);
}

TEST_CASE("a matrix is made from a topology and values in its order", "[sparse][coo_matrix]") {
    const TopologyPtr topology = Topology::from_cells(2, 2, std::array<Size, 2>{1, 2});

    const CooMatrix<double> matrix(topology, Buffer<double>(2, 3.0, nullptr));

    CHECK(matrix.topology() == topology);
    CHECK(values_of(matrix) == std::vector<double>{3, 3});
    CHECK(matrix.permutation().empty());
}

TEST_CASE("a copy shares the topology and has values of its own", "[sparse][coo_matrix]") {
    const CooMatrix<float> original(five.view(3, 3));

    CooMatrix<float> copy = original;
    copy.values()[0] = -1;
    CooMatrix<float> assigned;
    assigned = copy;
    assigned.values()[1] = -2;

    CHECK(original.topology() == copy.topology());
    CHECK(values_of(original) == std::vector<float>{16, 2, 8, 1, 4});
    CHECK(values_of(copy) == std::vector<float>{-1, 2, 8, 1, 4});
    CHECK(values_of(assigned) == std::vector<float>{-1, -2, 8, 1, 4});
    CHECK(permutation_of(copy) == permutation_of(original));
}

TEST_CASE("moving a matrix keeps its memory and leaves an empty one", "[sparse][coo_matrix]") {
    CooMatrix<float> source(five.view(3, 3));
    const float* const address = source.values().data();

    CooMatrix<float> moved(std::move(source));
    CooMatrix<float> assigned(five.view(3, 3));
    assigned = std::move(moved);

    CHECK(assigned.values().data() == address);
    CHECK(permutation_of(assigned) == std::vector<Size>{4, 1, 3, 0, 2});
    for (const CooMatrix<float>* left : {&source, &moved}) {
        CHECK(left->topology() == nullptr);
        CHECK(left->out_features() == 0);
        CHECK(left->in_features() == 0);
        CHECK(left->nnz() == 0);
        CHECK(left->values().empty());
        CHECK(CooMatrix<float>(*left).nnz() == 0);
    }
    source = assigned;
    CHECK(values_of(source) == values_of(assigned));
}

TEST_CASE("a matrix survives being assigned to itself", "[sparse][coo_matrix]") {
    CooMatrix<float> matrix(five.view(3, 3));
    CooMatrix<float>& alias = matrix;

    SECTION("by copy") {
        matrix = alias;
    }
    SECTION("by move") {
        matrix = std::move(alias);
    }

    CHECK(values_of(matrix) == std::vector<float>{16, 2, 8, 1, 4});
    CHECK(permutation_of(matrix) == std::vector<Size>{4, 1, 3, 0, 2});
}

TEST_CASE("swapped matrices exchange everything", "[sparse][coo_matrix]") {
    CooMatrix<float> a(five.view(3, 3));
    CooMatrix<float> b;

    a.swap(b);

    CHECK(a.nnz() == 0);
    CHECK(values_of(b) == std::vector<float>{16, 2, 8, 1, 4});
    CHECK(permutation_of(b) == std::vector<Size>{4, 1, 3, 0, 2});
}

TEST_CASE("a matrix and its copies live in the caller's memory", "[sparse][coo_matrix]") {
    tests::CountingAllocator allocator;

    {
        const CooMatrix<float> matrix(five.view(3, 3), &allocator);
        const Size held = allocator.live_bytes;
        const CooMatrix<float> copy = matrix;
        CHECK(held == matrix.topology()->bytes() + 5 * (4 + 8));
        CHECK(allocator.live_bytes == held + 5 * (4 + 8));
    }

    CHECK(allocator.live_bytes == 0);
}

static_assert(std::is_nothrow_move_constructible_v<CooMatrix<float>>);
static_assert(std::is_nothrow_move_assignable_v<CooMatrix<float>>);
