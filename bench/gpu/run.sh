#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures the GPU backends beside cuBLAS, cuSPARSE and the paper's kernels on a machine with a GPU, nvcc, and
# CMake. Called as
#
#     sh bench/run.sh --gpu                    everything; writes bench/results/gpu and the tables of bench/GPU.md
#     sh bench/run.sh --gpu --quick            small matrices: whether every row is right; its times mean nothing
#     sh bench/run.sh --gpu --only='^forward/.*/0.950/1/'
#                                              rows whose name matches; arguments go to snack_bench_gpu
#
# With arguments the results go to build/bench-cuda/results, and nothing in the repository changes.

set -eu
cd "$(dirname "$0")/../.."
. cmake/packages.sh

for need in nvcc cmake python3; do
    has_command "$need" || { echo "bench/gpu/run.sh: $need was not found" >&2; exit 1; }
done

echo "Building the benchmarks" >&2
quietly cmake --preset bench-cuda
quietly cmake --build --preset bench-cuda

if [ $# -eq 0 ]; then
    results=bench/results/gpu
    page=bench/GPU.md
else
    results=build/bench-cuda/results
    page=
fi
mkdir -p "$results"
log=build/bench-cuda/snack_bench_gpu.log
echo "Measuring; each row goes to $log" >&2
status=0
build/bench-cuda/bench/gpu/snack_bench_gpu --csv="$results" "$@" >"$log" 2>&1 || status=$?
tail -n 1 "$log"
if [ "$status" -ne 0 ]; then
    grep 'wrong: ' "$log" || true
    exit "$status"
fi
if [ -n "$page" ]; then
    matrices=$(mktemp -d)
    trap 'rm -rf "$matrices"' EXIT
    build/bench-cuda/bench/gpu/snack_bench_gpu --dump="$matrices"
    python3 bench/gpu/frameworks.py "$matrices" "$results" >>"$log" 2>&1
fi
python3 bench/gpu/gpu_summary.py "$results" ${page:+"$page"}
