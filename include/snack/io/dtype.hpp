// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The number types that files hold, and how they become those of the library. Files are little-endian, and so
// must this machine be.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <snack/core/error.hpp>
#include <snack/core/scalar.hpp>

namespace snack::inline v0::io {

static_assert(std::endian::native == std::endian::little, "snack::io reads and writes little-endian files in place");

/// Named as safetensors names them. Those after BOOL are known by name and size only: they are copied, not decoded.
enum class DType : std::uint8_t {
    F64,
    F32,
    F16,
    BF16,
    I64,
    I32,
    I16,
    I8,
    U64,
    U32,
    U16,
    U8,
    BOOL,
    C64,
    F8_E5M2,
    F8_E4M3,
    F8_E8M0,
    F8_E4M3FNUZ,
    F8_E5M2FNUZ,
    F6_E2M3,
    F6_E3M2,
    F4
};

/// Whether elements of the type become numbers of the library.
inline bool is_decoded(DType type) {
    return type <= DType::BOOL;
}

/// Storage of one half-precision number; arithmetic is none of the library's.
struct Half {
    std::uint16_t bits;
};
struct BFloat16 {
    std::uint16_t bits;
};

namespace detail {

/// 2^-14, and 2^-24 for each unit of a subnormal; NaN keeps its payload.
inline float value_of(Half from) {
    const std::uint32_t sign = static_cast<std::uint32_t>(from.bits & 0x8000u) << 16;
    const std::uint32_t exponent = (from.bits >> 10) & 0x1fu;
    const std::uint32_t fraction = from.bits & 0x3ffu;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + (127 - 15);
    return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}
inline float value_of(BFloat16 from) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(from.bits) << 16);
}
template <class T>
requires std::is_arithmetic_v<T> T value_of(T from) {
    return from;
}

}  // namespace detail

/// Calls visit(element), an element of the storage of a type that is decoded, and returns what that returns.
template <class Visit>
decltype(auto) with_storage(DType type, const Visit& visit) {
    switch (type) {
        case DType::F64:
            return visit(double{});
        case DType::F32:
            return visit(float{});
        case DType::F16:
            return visit(Half{});
        case DType::BF16:
            return visit(BFloat16{});
        case DType::I64:
            return visit(std::int64_t{});
        case DType::I32:
            return visit(std::int32_t{});
        case DType::I16:
            return visit(std::int16_t{});
        case DType::I8:
            return visit(std::int8_t{});
        case DType::U64:
            return visit(std::uint64_t{});
        case DType::U32:
            return visit(std::uint32_t{});
        case DType::U16:
            return visit(std::uint16_t{});
        default:
            return visit(std::uint8_t{});
    }
}

/// Of one element of a type that is decoded.
inline Size bytes_of(DType type) {
    return with_storage(type, [](auto element) { return static_cast<Size>(sizeof element); });
}

/// Of one element of any type.
inline Size bits_of(DType type) {
    return is_decoded(type)        ? 8 * bytes_of(type)
           : type == DType::C64    ? 64
           : type < DType::F6_E2M3 ? 8
           : type < DType::F4      ? 6
                                   : 4;
}

/// Of so many elements; -1 if they pass 2^63 - 1 or end inside a byte.
inline Size bytes_of(DType type, Size elements) {
    const Size rest = elements % 8 * bits_of(type);
    Size bytes = 0;
    const bool fits = !__builtin_mul_overflow(elements / 8, bits_of(type), &bytes) &&
                      !__builtin_add_overflow(bytes, rest / 8, &bytes);
    return fits && rest % 8 == 0 ? bytes : -1;
}

inline const char* name_of(DType type) {
    constexpr const char* names[] = {"F64",         "F32",     "F16",     "BF16",    "I64",     "I32",
                                     "I16",         "I8",      "U64",     "U32",     "U16",     "U8",
                                     "BOOL",        "C64",     "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ",
                                     "F8_E5M2FNUZ", "F6_E2M3", "F6_E3M2", "F4"};
    return names[static_cast<int>(type)];
}

/// Those that are decoded, and those that are not.
inline constexpr DType every_dtype[] = {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64,
                                        DType::I32, DType::I16, DType::I8,  DType::U64,  DType::U32,
                                        DType::U16, DType::U8,  DType::BOOL};
inline constexpr DType opaque_dtypes[] = {DType::C64,     DType::F8_E5M2,     DType::F8_E4M3,
                                          DType::F8_E8M0, DType::F8_E4M3FNUZ, DType::F8_E5M2FNUZ,
                                          DType::F6_E2M3, DType::F6_E3M2,     DType::F4};

inline bool is_integer(DType type) {
    return type >= DType::I64 && type <= DType::U8;
}

/// The type that T is stored as.
template <class T>
constexpr DType dtype_of() {
    if constexpr (std::is_same_v<T, double>) {
        return DType::F64;
    } else if constexpr (std::is_same_v<T, float>) {
        return DType::F32;
    } else {
        static_assert(std::is_integral_v<T>, "snack::io stores float, double and integers");
        constexpr DType kinds[] = {DType::I8, DType::I16, DType::I32, DType::I64,
                                   DType::U8, DType::U16, DType::U32, DType::U64};
        return kinds[(std::is_signed_v<T> ? 0 : 4) + std::countr_zero(sizeof(T))];
    }
}

/// to[i] = element i of `from`, which need not be aligned, of a type that is decoded. The same type is copied bit for
/// bit; halves are exact; what does not fit is rounded to nearest, and beyond the largest number to infinity.
template <Scalar T>
void decode(DType type, const std::byte* from, Size count, T* to) {
    with_storage(type, [&]<class Stored>(Stored) {
        if constexpr (std::is_same_v<Stored, T>) {
            if (count > 0) {
                std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
            }
        } else {
            for (Size i = 0; i < count; ++i) {
                Stored element;
                std::memcpy(&element, from + i * static_cast<Size>(sizeof element), sizeof element);
                to[i] = static_cast<T>(detail::value_of(element));
            }
        }
    });
}

/// to[i] = element i of `from`, of an integer type. Returns the first element that 64 signed bits do not hold, or
/// `count`.
inline Size decode(DType type, const std::byte* from, Size count, Size* to) {
    return with_storage(type, [&]<class Stored>(Stored) -> Size {
        if constexpr (std::is_integral_v<Stored>) {
            for (Size i = 0; i < count; ++i) {
                Stored element;
                std::memcpy(&element, from + i * static_cast<Size>(sizeof element), sizeof element);
                to[i] = static_cast<Size>(element);  // NOLINT(bugprone-signed-char-misuse): a number, no letter
                if (std::is_unsigned_v<Stored> && to[i] < 0) {
                    return i;
                }
            }
            return count;
        } else {
            return 0;
        }
    });
}

}  // namespace snack::inline v0::io
