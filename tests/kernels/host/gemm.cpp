// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dense matrix products against nested loops, at extents around the edges of tiles and panels, in
// every layout; on integers, so that the answers are exact.

#include <snack/kernels/host/gemm.hpp>
#include <snack/kernels/host/isa.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/problem.hpp>

using namespace tests;

namespace {

/// beta C + A B, and whether every element is right.
template <class Gemm, class T>
bool is_right(snack::HostContext& ctx, Size rows, Size inner, Size columns, const Placement (&at)[3], T beta) {
    const auto a = activations<T>(Data::integers, 1, rows, inner, at[0]);
    const auto b = activations<T>(Data::integers, 2, inner, columns, at[1]);
    const auto start = activations<T>(Data::integers, 3, rows, columns, at[2]);
    auto c = beta == 0 ? Activations<T>(rows, columns, at[2]) : start;  // NaN, to be overwritten

    Gemm::template multiply<T>(ctx, a.view(), b.view(), beta, c.view());

    bool right = c.surroundings_intact();
    for (Size i = 0; i < rows; ++i) {
        for (Size j = 0; j < columns; ++j) {
            T want = beta == 0 ? 0 : beta * start(i, j);
            for (Size p = 0; p < inner; ++p) {
                want += a(i, p) * b(p, j);
            }
            right = right && c(i, j) == want;
        }
    }
    return right;
}

template <class Gemm, class T>
void check(Size rows, Size inner, Size columns) {
    snack::HostContext ctx({.threads = 2});
    for (int layouts = 0; layouts < 8; ++layouts) {
        Placement at[3];
        for (int i = 0; i < 3; ++i) {
            at[i] = {(layouts >> i & 1) != 0 ? Layout::column_major : Layout::row_major, i, 2 - i};
        }
        for (const T beta : {T{0}, T{1}, T{2}}) {
            CAPTURE(rows, inner, columns, layouts, beta);
            REQUIRE((is_right<Gemm, T>(ctx, rows, inner, columns, at, beta)));
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("matrix products are exact at the edges of tiles", "[kernels][threads]", float, double) {
    using Gemm = snack::kernels::host::Gemm<snack::isa::Current>;
    for (const Size rows : {0, 1, 3, 66}) {
        for (const Size inner : {0, 1, 129}) {
            for (const Size columns : {0, 1, 32, 33}) {
                check<Gemm, TestType>(rows, inner, columns);
            }
        }
    }
    check<Gemm, TestType>(1, 1030, 520);
    check<Gemm, TestType>(130, 260, 70);
}
