// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a backend promises on a device, besides the conformance suite: streams, graphs, errors, devices,
// threads, failing allocations, large arrays. One line in a test file runs it all for a backend,
//     SNACK_ON_A_DEVICE(snack::CooSegmented);

#include <tests/cuda/cases/devices.cuh>
#include <tests/cuda/cases/errors.cuh>
#include <tests/cuda/cases/failures.cuh>
#include <tests/cuda/cases/graph_capture.cuh>
#include <tests/cuda/cases/large.cuh>
#include <tests/cuda/cases/streams.cuh>
#include <tests/cuda/cases/threads.cuh>

#define SNACK_DEVICE_CASE(BACKEND, NAME, TAGS, CASE)                      \
    TEMPLATE_TEST_CASE(#BACKEND ": " NAME, "[gpu]" TAGS, float, double) { \
        tests::CASE<BACKEND, TestType>();                                 \
    }

#define SNACK_ON_A_DEVICE(BACKEND)                                                                                     \
    SNACK_DEVICE_CASE(BACKEND, "calls follow their stream", "", forward_and_backward_follow_their_stream)              \
    SNACK_DEVICE_CASE(BACKEND, "another stream does not wait", "", another_stream_does_not_wait)                       \
    SNACK_DEVICE_CASE(BACKEND, "an upload keeps its place", "", an_upload_of_values_keeps_its_place)                   \
    SNACK_DEVICE_CASE(BACKEND, "a rewire follows its stream", "", a_rewire_follows_its_stream)                         \
    SNACK_DEVICE_CASE(BACKEND, "optimisers follow their stream", "", optimisers_follow_their_stream)                   \
    SNACK_DEVICE_CASE(BACKEND, "a graph follows its operands", "", a_graph_follows_its_operands)                       \
    SNACK_DEVICE_CASE(BACKEND, "a refused call leaves a recording usable", "",                                         \
                      what_cannot_be_recorded_is_refused_and_the_recording_goes_on)                                    \
    SNACK_DEVICE_CASE(BACKEND, "an error of somebody else stays theirs", "", an_error_of_somebody_else_stays_theirs)   \
    SNACK_DEVICE_CASE(BACKEND, "an error of ours is told once", "", an_error_of_ours_is_told_once)                     \
    SNACK_DEVICE_CASE(BACKEND, "host memory is refused", "", host_memory_is_refused)                                   \
    SNACK_DEVICE_CASE(BACKEND, "memory that the device reaches is taken", "", memory_that_the_device_reaches_is_taken) \
    SNACK_DEVICE_CASE(BACKEND, "many streams share a const layer", "", many_streams_share_a_const_layer)               \
    SNACK_DEVICE_CASE(BACKEND, "sums repeat beside other work", "", sums_repeat_beside_other_work)                     \
    SNACK_DEVICE_CASE(BACKEND, "failing allocations change nothing", "",                                               \
                      each_failing_allocation_leaves_everything_as_it_was)                                             \
    SNACK_DEVICE_CASE(BACKEND, "a layer works on another device", "[two-gpus]",                                        \
                      a_layer_works_on_a_device_that_is_not_the_current_one)                                           \
    SNACK_DEVICE_CASE(BACKEND, "elements lie beyond 2^31", "[large]", elements_lie_beyond_2_to_the_31)                 \
    SNACK_DEVICE_CASE(BACKEND, "work passes 2^31", "[large]", work_passes_2_to_the_31)                                 \
    static_assert(true)
