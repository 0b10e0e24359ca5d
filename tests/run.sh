#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs all tests on a bare Debian or Ubuntu machine: with g++ optimised, with clang under the address and
# undefined-behaviour sanitizers, and under the thread sanitizer; device code too where there is an nvcc that
# works. Ends with the number of tests run.
#   sh tests/run.sh [preset...]     presets: cpu clang asan tsan cuda (all by default), or fuzz
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh

install_missing "has_command g++:g++" "has_command clang++:clang" "has_command cmake:cmake" \
    "has_command make:make" "has_command python3:python3" "has_command pkg-config:pkg-config" \
    "has_command clang-format:clang-format" "has_command clang-tidy:clang-tidy"
install_missing has_clang_sanitizers:libclang-rt-dev
install_missing "has_header zlib.h:zlib1g-dev" "has_header CLI/CLI.hpp:libcli11-dev" \
    "has_header nlohmann/json.hpp:nlohmann-json3-dev" \
    "eval has_header catch2/catch.hpp || has_header catch2/catch_all.hpp:catch2" \
    "has_header benchmark/benchmark.h:libbenchmark-dev" "has_library openblas:libopenblas-dev" \
    "has_header eigen3/Eigen/Core:libeigen3-dev" "has_header rsb.h:librsb-dev"

jobs=$(nproc 2>/dev/null || echo 2)
started=$(date +%s)
stage() { echo "== $1 ($(($(date +%s) - started)) s)"; }
passed=0
failed=0
skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Adds the numbers of ctest's closing line in $log to the totals.
count() {
    total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log")
    bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of .*/\1/p' "$log")
    left=$(grep -c '\*\*\*Skipped' "$log" || true)
    [ -n "$bad" ] || bad=1 # ctest itself did not get that far
    passed=$((passed + ${total:-$bad} - bad - left))
    skipped=$((skipped + left))
    failed=$((failed + bad))
}

# Whether the test program of the preset cuda finds a device: its status is 77 where there is none.
has_gpu() {
    status=0
    build/cuda/tests/cuda/snack_tests_cuda "no such test" >/dev/null 2>&1 || status=$?
    [ "$status" -ne 77 ]
}

all="cpu clang asan tsan"
if has_working_nvcc; then
    all="$all cuda"
elif [ $# -eq 0 ] && has_command nvcc; then
    echo "Going on without the preset cuda: $nvcc_fault"
    skipped=1
fi
for preset in ${*:-$all}; do
    stage "$preset: build"
    benchmarks=OFF
    [ "$preset" != cpu ] || benchmarks=ON # one of the tests checks what they compute
    quietly cmake --preset "$preset" -DSNACK_BUILD_BENCHMARKS="$benchmarks"
    quietly cmake --build --preset "$preset" -j "$jobs"
    stage "$preset: test"
    without=
    if [ "$preset" = cuda ] && ! has_gpu; then
        # Each of these loads the libraries of CUDA only to say that it is skipped: a tenth of a second, one by one.
        without="-LE ^gpu$"
        left=$(ctest --preset cuda -L '^gpu$' -N | sed -n 's/^Total Tests: //p')
        echo "no GPU: $left tests skipped"
        skipped=$((skipped + ${left:-0}))
    fi
    # shellcheck disable=SC2086  # an option and its value, or nothing
    ctest --preset "$preset" -j "$jobs" $without >"$log" 2>&1 || tail -n 100 "$log"
    grep -E "tests passed|tests failed" "$log" || true
    count
done

if [ $# -eq 0 ]; then
    stage "format and lint"
    if clang-format --version | grep -q "version 14" && clang-tidy --version | grep -q "version 14"; then
        if find include tests examples tools bench -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' | xargs clang-format --dry-run -Werror; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
        # The longest first, on all cores.
        if printf '%s\n' bench/main.cpp tools/snack_tool.cpp examples/0*.cpp | quietly xargs -n 1 -P "$jobs" clang-tidy -quiet -p build/cpu; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    else
        echo "the checks are those of clang-format and clang-tidy 14: skipped with another version"
        skipped=$((skipped + 2))
    fi
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
