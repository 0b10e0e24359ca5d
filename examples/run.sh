#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a bare Debian 12 or Ubuntu 24.04 to a trained network: installs what is missing, builds the
# examples, and trains. Arguments go to the training program:
#
#     sh examples/run.sh --epochs 5 --sparsity 0.98
#     sh examples/run.sh --backend cuda      # where there are nvcc and a GPU
#
# Without a GPU, or with an nvcc that is older than 12.2 or broken, all but --backend cuda works.
# Where everything is there nothing is installed. `sh examples/run.sh --help` lists the options.

set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/cmake/packages.sh"

# Whether the arguments name a data folder, so that the data set package is not needed, and whether they ask for a GPU.
wants_cuda=false
previous=
data_package="[ -d /usr/share/datasets/fashion-mnist ]:dataset-fashion-mnist"
for argument; do
    case $argument in
        --data | --data=* | --help | -h) data_package="true:" ;;
    esac
    case $previous$argument in
        --backendcuda | *--backend=cuda) wants_cuda=true ;;
    esac
    previous=$argument
done

install_missing "has_command g++:g++" "has_command cmake:cmake" "has_command make:make" \
    "has_header zlib.h:zlib1g-dev" "has_header CLI/CLI.hpp:libcli11-dev" \
    "has_header nlohmann/json.hpp:nlohmann-json3-dev" "$data_package"

build=$root/build/examples
cuda=ON
if ! { has_command nvidia-smi && nvidia-smi -L >/dev/null 2>&1; }; then
    cuda="there is no GPU"
elif ! has_working_nvcc; then
    cuda=$nvcc_fault
fi
if [ "$cuda" != ON ]; then
    if $wants_cuda; then
        echo "examples/run.sh: --backend cuda: $cuda" >&2
        exit 2
    fi
    ! has_command nvcc || echo "Going on without CUDA: $cuda" >&2
    cuda=OFF
fi
configure() {
    cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSNACK_BUILD_TESTS=OFF -DSNACK_BUILD_EXAMPLES=ON \
        -DSNACK_CUDA=$cuda -DCMAKE_CUDA_ARCHITECTURES=native "$@"
}
# A build folder cannot be used again after the checkout has moved; the second try starts afresh.
echo "Building the examples" >&2
quietly configure 2>/dev/null || quietly configure --fresh
quietly cmake --build "$build" --parallel "$(nproc)"
exec "$build/examples/02_train" "$@"
