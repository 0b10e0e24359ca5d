// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a value initialiser has to supply: the weight of one connection from where it is and how
// many connections its row and column really have. Any callable of this form will do, a lambda too.

#include <concepts>

#include <snack/core/random.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// One stored connection and the sparse fan of its two ends.
struct Connection {
    Size entry;    ///< position in canonical order
    Index row;     ///< output feature
    Index column;  ///< input feature
    Size fan_in;   ///< entries in the row, at least 1
    Size fan_out;  ///< entries in the column, at least 1
};

/// `initializer(key, connection)` is a number; draw random bits as `random_bits(key, connection.entry)`.
template <class Initializer>
concept ValueInitializer = requires(const Initializer& initializer, const RandomKey& key,
                                    const Connection& connection) {
    { initializer(key, connection) } -> std::convertible_to<double>;
};

}  // namespace snack::inline v0
