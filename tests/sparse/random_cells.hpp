// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Random matrices for tests of laws, drawn by the standard library and not by the sampler under test.

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <snack/core/types.hpp>

namespace tests {

/// A source of test data; the same numbers everywhere for the same seed.
class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}

    /// A number in [0, bound).
    snack::Size below(snack::Size bound) {
        return static_cast<snack::Size>(engine_() % static_cast<std::uint64_t>(bound));
    }

    /// `count` distinct cells in [0, cells), ascending.
    std::vector<snack::Size> cells(snack::Size cells, snack::Size count) {
        std::set<snack::Size> chosen;
        while (static_cast<snack::Size>(chosen.size()) < count) {
            chosen.insert(below(cells));
        }
        return {chosen.begin(), chosen.end()};
    }

    template <class T>
    void shuffle(std::vector<T>& elements) {
        for (auto left = static_cast<snack::Size>(elements.size()); left > 1; --left) {
            std::swap(elements[static_cast<std::size_t>(left - 1)], elements[static_cast<std::size_t>(below(left))]);
        }
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace tests
