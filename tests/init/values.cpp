// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Initial values are scaled by the connections a unit really has, and depend on key and entry alone.

#include <array>
#include <cmath>
#include <vector>

#include <snack/init/uniform_topology.hpp>
#include <snack/init/values.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;

namespace {

const RandomKey key{.seed = 1, .purpose = Purpose::values};

template <class T, class Initializer>
std::vector<T> values_of(const Topology& topology, const Initializer& initializer, const RandomKey& with = key) {
    std::vector<T> values(static_cast<std::size_t>(topology.nnz()), T{-77});
    initialize_values<T>(topology, initializer, with, values);
    return values;
}

/// Row i has `fans[i]` entries, at its first columns.
TopologyPtr rows_of(const std::vector<Size>& fans, Size in_features) {
    std::vector<Size> cells;
    for (std::size_t row = 0; row < fans.size(); ++row) {
        for (Size column = 0; column < fans[row]; ++column) {
            cells.push_back(static_cast<Size>(row) * in_features + column);
        }
    }
    return Topology::from_cells(static_cast<Size>(fans.size()), in_features, cells);
}

/// Row i has i entries, at its first columns: column j has n - 1 - j.
TopologyPtr triangle(Size n) {
    std::vector<Size> fans(static_cast<std::size_t>(n));
    for (Size row = 0; row < n; ++row) {
        fans[static_cast<std::size_t>(row)] = row;
    }
    return rows_of(fans, n);
}

/// Mean square of values; its standard deviation over n values is sqrt((kurtosis - 1) / n) of it.
double mean_square(const std::vector<double>& values, Size begin, Size end) {
    double sum = 0;
    for (Size e = begin; e < end; ++e) {
        sum += values[static_cast<std::size_t>(e)] * values[static_cast<std::size_t>(e)];
    }
    return sum / static_cast<double>(end - begin);
}

/// Whether values of row `row` have the given variance, to four standard deviations.
bool row_has_variance(const Topology& topology, const std::vector<double>& values, Size row, double variance,
                      double kurtosis) {
    const Size begin = topology.row_offsets().data()[row];
    const Size end = topology.row_offsets().data()[row + 1];
    const double deviation = std::sqrt((kurtosis - 1) / static_cast<double>(end - begin));
    return std::fabs(mean_square(values, begin, end) / variance - 1) <= 4 * deviation;
}

constexpr double uniform_kurtosis = 1.8;
constexpr double normal_kurtosis = 3;

}  // namespace

TEST_CASE("an initialiser sees every connection with its fans", "[init][values]") {
    const TopologyPtr topology = triangle(12);
    std::vector<Connection> seen;

    const std::vector<double> values = values_of<double>(*topology, [&](const RandomKey& with, const Connection& at) {
        CHECK(with.seed == key.seed);
        seen.push_back(at);
        return 0.5 * static_cast<double>(at.entry);
    });

    REQUIRE(static_cast<Size>(seen.size()) == topology->nnz());
    for_each_entry(*topology, [&](Size entry, Index row, Index column) {
        const Connection& at = seen[static_cast<std::size_t>(entry)];
        REQUIRE(at.entry == entry);
        REQUIRE(at.row == row);
        REQUIRE(at.column == column);
        REQUIRE(at.fan_in == row);
        REQUIRE(at.fan_out == 11 - column);
        REQUIRE(values[static_cast<std::size_t>(entry)] == 0.5 * static_cast<double>(entry));
    });
}

TEST_CASE("Kaiming values have variance gain squared over fan-in, row by row", "[init][values]") {
    const std::vector<Size> fans = {100, 1000, 0, 10000};
    const TopologyPtr topology = rows_of(fans, 10000);
    const double gain = GENERATE(1.0, 1.4142135623730951, 3.0);

    const std::vector<double> uniform = values_of<double>(*topology, KaimingUniform{gain});
    const std::vector<double> normal = values_of<double>(*topology, KaimingNormal{gain});

    for (const Size row : {0, 1, 3}) {
        const double variance = gain * gain / static_cast<double>(fans[static_cast<std::size_t>(row)]);
        CAPTURE(gain, row);
        CHECK(row_has_variance(*topology, uniform, row, variance, uniform_kurtosis));
        CHECK(row_has_variance(*topology, normal, row, variance, normal_kurtosis));
    }
}

TEST_CASE("Kaiming's default gain suits ReLU", "[init][values]") {
    const TopologyPtr topology = rows_of({50}, 50);

    CHECK(values_of<double>(*topology, KaimingUniform{}) ==
          values_of<double>(*topology, KaimingUniform{std::sqrt(2.0)}));
    CHECK(values_of<double>(*topology, KaimingNormal{}) == values_of<double>(*topology, KaimingNormal{std::sqrt(2.0)}));
}

TEST_CASE("Kaiming's uniform values stay within their bound and come close to it", "[init][values]") {
    const TopologyPtr topology = rows_of({3, 200, 5000}, 5000);
    const std::vector<double> values = values_of<double>(*topology, KaimingUniform{2.0});

    std::array<double, 3> largest = {};
    for_each_entry(*topology, [&](Size entry, Index row, Index) {
        double& most = largest[static_cast<std::size_t>(row)];
        most = std::fmax(most, std::fabs(values[static_cast<std::size_t>(entry)]));
    });

    CHECK(largest[0] < 2 * std::sqrt(3.0 / 3));
    CHECK(largest[1] < 2 * std::sqrt(3.0 / 200));
    CHECK(largest[2] < 2 * std::sqrt(3.0 / 5000));
    CHECK(largest[2] > 0.99 * 2 * std::sqrt(3.0 / 5000));  // missed with probability 0.99^5000 = 1e-22
}

TEST_CASE("Xavier values have variance two over fan-in plus fan-out", "[init][values]") {
    // One row of 20000 entries; each column has one entry or, in its first half, three.
    const TopologyPtr topology = rows_of({20000, 10000, 10000}, 20000);
    const double gain = GENERATE(1.0, 2.5);

    const std::vector<double> uniform = values_of<double>(*topology, XavierUniform{gain});
    const std::vector<double> normal = values_of<double>(*topology, XavierNormal{gain});

    const double three = 2 * gain * gain / 10003;
    CHECK(row_has_variance(*topology, uniform, 1, three, uniform_kurtosis));
    CHECK(row_has_variance(*topology, normal, 2, three, normal_kurtosis));
    // fan_out is what tells these two from each other.
    const auto value = [](Size fan_in, Size fan_out) {
        return std::fabs(
            XavierUniform{}(key, {.entry = 0, .row = 0, .column = 0, .fan_in = fan_in, .fan_out = fan_out}));
    };
    CHECK(value(1, 5) == value(5, 1));
    CHECK(value(2, 4) == value(5, 1));
    CHECK(value(1, 1) > value(1, 5));
}

TEST_CASE("Xavier's uniform values stay within their bound", "[init][values]") {
    const TopologyPtr topology = triangle(60);
    const std::vector<double> values = values_of<double>(*topology, XavierUniform{});

    for_each_entry(*topology, [&](Size entry, Index row, Index column) {
        const double bound = std::sqrt(6.0 / static_cast<double>(row + (59 - column)));
        REQUIRE(std::fabs(values[static_cast<std::size_t>(entry)]) < bound);
    });
}

TEST_CASE("normal and uniform values have mean zero", "[init][values]") {
    const TopologyPtr topology = rows_of({40000}, 40000);
    for (const std::vector<double>& values :
         {values_of<double>(*topology, KaimingUniform{200.0}), values_of<double>(*topology, KaimingNormal{200.0}),
          values_of<double>(*topology, XavierNormal{std::sqrt(20000.5)})}) {
        double sum = 0;
        for (const double value : values) {
            sum += value;
        }
        // Variance 1 each, so the sum of 40000 deviates by 200; four deviations.
        CHECK(std::fabs(sum) <= 4 * 200);
    }
}

TEST_CASE("a value depends on the key and its entry, not on the rest of the matrix", "[init][values]") {
    const std::vector<double> narrow = values_of<double>(*rows_of({4, 4, 4}, 4), KaimingNormal{});
    const std::vector<double> wide = values_of<double>(*rows_of({4, 4, 4, 4, 4}, 400), KaimingNormal{});

    CHECK(std::vector<double>(wide.begin(), wide.begin() + 12) == narrow);
    CHECK(values_of<double>(*rows_of({4, 4, 4}, 4), KaimingNormal{}) == narrow);
    CHECK(values_of<double>(*rows_of({4, 4, 4}, 4), KaimingNormal{}, {.seed = 2, .purpose = Purpose::values}) !=
          narrow);
}

TEST_CASE("values are drawn in double and rounded once", "[init][values]") {
    const TopologyPtr topology = rows_of({30, 7}, 30);
    const std::vector<float> single = values_of<float>(*topology, KaimingNormal{});
    const std::vector<double> twice = values_of<double>(*topology, KaimingNormal{});

    for (std::size_t e = 0; e < single.size(); ++e) {
        CHECK(single[e] == static_cast<float>(twice[e]));
    }
}

TEST_CASE("a constant and a lambda are initialisers", "[init][values]") {
    const TopologyPtr topology = rows_of({2, 0, 1}, 3);

    CHECK(values_of<float>(*topology, ConstantValue{0.25}) == std::vector<float>{0.25, 0.25, 0.25});
    CHECK(values_of<double>(*topology, ConstantValue{}) == std::vector<double>{0, 0, 0});
    CHECK(values_of<double>(*topology, [](const RandomKey&, const Connection& at) {
              return 10 * at.row + at.column;
          }) == std::vector<double>{0, 1, 20});
}

TEST_CASE("an array of the wrong extent is refused before anything is written", "[init][values]") {
    const TopologyPtr topology = rows_of({2, 1}, 3);
    const std::size_t size = GENERATE(std::size_t{0}, std::size_t{2}, std::size_t{4});
    std::vector<float> values(size, 5);

    REQUIRE_THROWS_AS(initialize_values<float>(*topology, ConstantValue{1}, key, values), ShapeError);

    CHECK(values == std::vector<float>(size, 5));
}

TEST_CASE("a matrix without entries has no values", "[init][values]") {
    tests::CountingAllocator allocator;

    initialize_values<float>(*rows_of({0, 0}, 3), KaimingUniform{}, key, {}, &allocator);
    initialize_values<float>(*rows_of({}, 0), KaimingUniform{}, key, {}, &allocator);

    CHECK(allocator.live_bytes == 0);
}
