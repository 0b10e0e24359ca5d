// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011) under a structured key.
// A number is a pure function of (seed, stream, purpose, rewire count, index): no state, no
// order of draws, so topology and values have the same bits at any thread count and on any device.

#include <cstdint>

#include <snack/core/math.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0 {

/// Four 32-bit words: a counter before the rounds, random bits after them.
struct PhiloxBlock {
    std::uint32_t word[4];
};

/// Ten rounds of Philox4x32; agrees with the known-answer vectors of Random123.
SNACK_HOST_DEVICE constexpr PhiloxBlock philox4x32_10(PhiloxBlock counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
        counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                    static_cast<std::uint32_t>(product1),
                    static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                    static_cast<std::uint32_t>(product0)}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// What numbers are drawn for; keeps the draws of one layer apart.
enum class Purpose : std::uint8_t { topology = 1, values = 2, growth = 3, user = 128 };

/// Names one sequence of random numbers. Two keys that differ in any field give unrelated
/// sequences: the fields occupy separate bits of Philox's key and counter.
struct RandomKey {
    std::uint64_t seed = 0;           ///< one per experiment
    std::uint32_t stream = 0;         ///< tells the layers of one network apart
    Purpose purpose = Purpose::user;  ///< what for
    std::uint32_t rewire_count = 0;   ///< how often the layer has been rewired before
};

/// The 128 random bits of `key` at `index`, for index < 2^48.
SNACK_HOST_DEVICE constexpr PhiloxBlock random_block(const RandomKey& key, std::uint64_t index) {
    const PhiloxBlock counter = {
        {static_cast<std::uint32_t>(index),
         static_cast<std::uint32_t>(index >> 32 & 0xffffu) | static_cast<std::uint32_t>(key.purpose) << 16, key.stream,
         key.rewire_count}};
    return philox4x32_10(counter, static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32));
}

/// The 64-bit draw number `index` of `key`; two draws share a block.
SNACK_HOST_DEVICE constexpr std::uint64_t random_bits(const RandomKey& key, std::uint64_t index) {
    const PhiloxBlock block = random_block(key, index >> 1);
    const int half = static_cast<int>(index & 1) * 2;
    return std::uint64_t{block.word[half + 1]} << 32 | block.word[half];
}

/// High and low half of the 128-bit product a * b.
struct WideProduct {
    std::uint64_t high;
    std::uint64_t low;
};

SNACK_HOST_DEVICE constexpr WideProduct multiply_wide(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32;
    const std::uint64_t b_low = b & 0xffffffffu, b_high = b >> 32;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = a_high * b_low + (low >> 32);
    const std::uint64_t cross = a_low * b_high + (middle & 0xffffffffu);
    return {a_high * b_high + (middle >> 32) + (cross >> 32), a * b};
}

/// A number below `bound` (> 0) from one 64-bit draw, or -1 if the draw must be thrown away to
/// keep every outcome equally likely (Lemire 2019; probability below bound / 2^64).
SNACK_HOST_DEVICE constexpr Size bounded_draw(std::uint64_t bits, std::uint64_t bound) {
    const WideProduct product = multiply_wide(bits, bound);
    if (product.low < bound && product.low < (0 - bound) % bound) {
        return -1;
    }
    return static_cast<Size>(product.high);
}

/// A number in (-scale, scale), symmetric about zero and never zero: an odd 53-bit integer times
/// scale * 2^-52, so the only rounding is that of one multiplication.
SNACK_HOST_DEVICE inline double symmetric_uniform(std::uint64_t bits, double scale) {
    const auto draw = static_cast<std::int64_t>(bits >> 12);  // 52 bits
    return static_cast<double>(2 * draw + 1 - (std::int64_t{1} << 52)) * (scale * 0x1p-52);
}

namespace detail {

/// sum coefficient[i] x^(Count - 1 - i), as a chain of explicit fma.
template <int Count>
SNACK_HOST_DEVICE double polynomial(const double (&coefficients)[Count], double x) {
    double sum = coefficients[0];
    for (int i = 1; i < Count; ++i) {
        sum = math::fma(sum, x, coefficients[i]);
    }
    return sum;
}

/// Natural logarithm of a normal x in (0, 1], to about 1e-15, without libm.
SNACK_HOST_DEVICE inline double portable_log(double x) {
    int exponent = 0;
    while (x < 0x1.6a09e667f3bcdp-1) {  // sqrt(1/2)
        x *= 2;
        --exponent;
    }
    const double s = (x - 1) / (x + 1);
    const double series[] = {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0};
    const double twice_s = 2 * s;
    return math::fma(polynomial(series, s * s), twice_s, exponent * 0x1.62e42fefa39efp-1);
}

}  // namespace detail

/// A standard normal number from 24 bits of one draw, by the inverse error function of Giles
/// (GPU Computing Gems, 2011; relative error below 4e-7) in explicit fma, the same bits anywhere.
/// It lies within +-5.43: the polynomials hold as far as 24 bits reach.
SNACK_HOST_DEVICE inline double standard_normal(std::uint64_t bits) {
    const auto draw = static_cast<std::int32_t>(bits >> 40);
    const double u = (2 * draw + 1 - (1 << 24)) * 0x1p-24;
    const double w = -detail::portable_log((1 - u) * (1 + u));
    double p;
    if (w < 5) {
        const double central[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                  -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
        p = detail::polynomial(central, w - 2.5);
    } else {
        const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                               -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
        p = detail::polynomial(tail, math::sqrt(w) - 3);
    }
    return p * u * 0x1.6a09e667f3bcdp+0;  // sqrt(2)
}

}  // namespace snack::inline v0
