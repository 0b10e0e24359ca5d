#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures the CPU backends beside OpenBLAS, Eigen and librsb on a bare Debian or Ubuntu machine:
# installs what is missing, builds for this processor, runs, and ends with a short table.
#
#     sh bench/run.sh            everything, half an hour on two cores that do nothing else;
#                                writes bench/results/cpu and the tables of bench/README.md
#     sh bench/run.sh --quick    small matrices: whether every row is right; its times mean nothing
#     sh bench/run.sh --benchmark_filter='^forward/.*/0.95/1/'
#                                rows whose name matches; arguments go to snack_bench
#
# With arguments the results go to build/bench/results, and nothing in the repository changes.
#
#     sh bench/run.sh --gpu ...  the GPU backends, on a machine with nvcc: see bench/gpu/run.sh

set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = --gpu ]; then
    shift
    exec sh bench/gpu/run.sh "$@"
fi
. cmake/packages.sh

plots() { "$1" -c 'import matplotlib' 2>/dev/null; }
has_plotting_python() { plots python3 || plots /usr/bin/python3; }

install_missing "has_command g++:g++" "has_command cmake:cmake" "has_command make:make" \
    "has_header benchmark/benchmark.h:libbenchmark-dev" "has_library openblas:libopenblas-dev" \
    "has_header eigen3/Eigen/Core:libeigen3-dev" "has_header rsb.h:librsb-dev" "has_header zlib.h:zlib1g-dev" \
    "has_command python3:python3" "has_plotting_python:python3-matplotlib"
python=python3
plots python3 || python=/usr/bin/python3

# Nothing from outside may choose kernels, threads or waiting for a library: each detects the
# machine, and the program tells all of them the same number of threads.
unset OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS OPENBLAS_DEFAULT_NUM_THREADS OPENBLAS_THREAD_TIMEOUT OPENBLAS_VERBOSE \
    GOTO_NUM_THREADS OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC OMP_WAIT_POLICY OMP_PROC_BIND OMP_PLACES \
    OMP_SCHEDULE GOMP_SPINCOUNT GOMP_CPU_AFFINITY RSB_NUM_THREADS RSB_USER_SET_MEM_HIERARCHY_INFO || true

echo "Building the benchmarks" >&2
quietly cmake --preset bench
quietly cmake --build --preset bench -j "$(nproc)"

if [ $# -eq 0 ]; then
    results=bench/results/cpu
    readme=bench/README.md
else
    results=build/bench/results
    readme=
fi
mkdir -p "$results"
log=build/bench/snack_bench.log
echo "Measuring; each row goes to $log" >&2
status=0
build/bench/bench/snack_bench --csv="$results/results.csv" --machine="$results/machine.txt" "$@" >"$log" || status=$?
tail -n 1 "$log"
if [ "$status" -ne 0 ]; then
    grep 'wrong: ' "$results/results.csv" || true
    exit "$status"
fi
"$python" bench/summary.py "$results" ${readme:+"$readme"}
