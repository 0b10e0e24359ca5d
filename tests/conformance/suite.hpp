// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The conformance suite: one line in a test file runs every public member of a backend,
//     SNACK_CONFORMANCE(snack::Host);
// for float and double. A new backend needs nothing else. Brief tests, those under sanitizers and with clang,
// take double from the backends that ask for it alone.
// Dense baselines (snack::FormsDense) answer otherwise in four cases, each of which says how: nothing
// dense is ever allocated, absent is not zero, plans know their topology, coordinates do not wrap.

#include <snack/backends/reference.hpp>
#include <snack/dst/magnitude_pruner.hpp>
#include <snack/dst/uniform_grower.hpp>
#include <tests/conformance/cases.hpp>
#include <tests/conformance/contract.hpp>
#include <tests/conformance/members.hpp>
#include <tests/conformance/products.hpp>

#if !defined(SNACK_CONFORMANCE_SCALARS)
#if defined(SNACK_BRIEF_TESTS)
#define SNACK_CONFORMANCE_SCALARS float
#else
#define SNACK_CONFORMANCE_SCALARS float, double
#endif
#endif

#define SNACK_CONFORMS(BACKEND, NAME, ...)                                               \
    TEMPLATE_TEST_CASE(#BACKEND ": " NAME, "[conformance]", SNACK_CONFORMANCE_SCALARS) { \
        [[maybe_unused]] const tests::Setting<BACKEND> setting{};                        \
        using B = tests::Setting<BACKEND>::backend;                                      \
        using T = TestType;                                                              \
        using namespace tests;                                                           \
        using namespace tests::conformance;                                              \
        __VA_ARGS__;                                                                     \
    }

#define SNACK_CONFORMANCE(BACKEND)                                                                                     \
    static_assert(snack::Backend<tests::Setting<BACKEND>::backend, float>);                                            \
    static_assert(snack::Backend<tests::Setting<BACKEND>::backend, double>);                                           \
    SNACK_CONFORMS(BACKEND, "forward is exact on integers", forward_is_right<B, T>(Data::integers))                    \
    SNACK_CONFORMS(BACKEND, "forward is within the bound", forward_is_right<B, T>(Data::random))                       \
    SNACK_CONFORMS(BACKEND, "relu is applied to the sum", relu_is_applied_to_the_sum<B, T>())                          \
    SNACK_CONFORMS(BACKEND, "backward is exact on integers", backward_is_right<B, T>(Data::integers))                  \
    SNACK_CONFORMS(BACKEND, "backward is within the bound", backward_is_right<B, T>(Data::random))                     \
    SNACK_CONFORMS(BACKEND, "large shapes are exact", large_shapes_are_exact<B, T>())                                  \
    SNACK_CONFORMS(BACKEND, "input gradient alone is exact", input_gradient_alone_is_right<B, T>(Data::integers))      \
    SNACK_CONFORMS(BACKEND, "gradients accumulate exactly", gradients_accumulate<B, T>(Data::integers))                \
    SNACK_CONFORMS(BACKEND, "gradients accumulate within the bound", gradients_accumulate<B, T>(Data::random))         \
    SNACK_CONFORMS(BACKEND, "forward and input gradient are adjoint", forward_and_input_gradient_are_adjoint<B, T>())  \
    SNACK_CONFORMS(BACKEND, "gradients equal finite differences", gradients_equal_finite_differences<B, T>())          \
    SNACK_CONFORMS(BACKEND, "results repeat at any thread count", results_repeat_at_any_thread_count<B, T>())          \
    SNACK_CONFORMS(BACKEND, "nothing is allocated later", nothing_is_allocated_after_the_first_call<B, T>())           \
    SNACK_CONFORMS(BACKEND, "nothing dense is ever allocated", nothing_dense_is_ever_allocated<B, T>())                \
    SNACK_CONFORMS(BACKEND, "one const layer serves many threads", one_const_layer_serves_many_threads<B, T>())        \
    SNACK_CONFORMS(BACKEND, "absent is not zero", absent_is_not_zero<B, T>())                                          \
    SNACK_CONFORMS(BACKEND, "plans know their topology", plans_know_their_topology<B, T>())                            \
    SNACK_CONFORMS(BACKEND, "wrong views are refused", wrong_views_are_refused_before_anything_is_written<B, T>())     \
    SNACK_CONFORMS(BACKEND, "copies are apart, moves leave nothing", copies_are_apart_and_moves_leave_nothing<B, T>()) \
    SNACK_CONFORMS(BACKEND, "parameters live in lent memory", parameters_can_live_in_lent_memory<B, T>())              \
    SNACK_CONFORMS(BACKEND, "rewiring keeps all in step", rewiring_keeps_topology_plan_and_values_in_step<B, T>())     \
    SNACK_CONFORMS(BACKEND, "an inference layer refuses backward",                                                     \
                   an_inference_layer_holds_no_gradients_and_refuses_backward<B, T>())                                 \
    SNACK_CONFORMS(BACKEND, "the same seed gives the same network", the_same_seed_gives_the_same_network<B, T>())      \
    SNACK_CONFORMS(BACKEND, "any order of entries will do", any_order_of_entries_gives_the_same_results<B, T>())       \
    SNACK_CONFORMS(BACKEND, "coordinates do not wrap", coordinates_do_not_wrap<B, T>())                                \
    SNACK_CONFORMS(BACKEND, "strides are 64 bits wide", strides_are_64_bits_wide<B, T>())                              \
    SNACK_CONFORMS(BACKEND, "batches pass 65535", batches_pass_65535<B, T>())                                          \
    SNACK_CONFORMS(BACKEND, "odd batches and addresses work", odd_batches_and_addresses_work<B, T>())                  \
    SNACK_CONFORMS(BACKEND, "strided views are followed", strided_views_are_followed<B, T>())                          \
    SNACK_CONFORMS(BACKEND, "empty rows are overwritten", empty_rows_are_overwritten<B, T>())                          \
    SNACK_CONFORMS(BACKEND, "tails of long rows are summed", tails_of_long_rows_are_summed<B, T>())                    \
    SNACK_CONFORMS(BACKEND, "cancelling sums repeat", cancelling_sums_repeat<B, T>())                                  \
    SNACK_CONFORMS(BACKEND, "dimensions stay apart", a_layer_that_is_not_square_keeps_its_dimensions_apart<B, T>())    \
    SNACK_CONFORMS(BACKEND, "failing allocations leak nothing", nothing_leaks_when_an_allocation_fails<B, T>())        \
    static_assert(true)
