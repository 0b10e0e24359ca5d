#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a bare Debian 12 or Ubuntu 24.04 to a trained network: installs what is missing, builds the
# examples, and trains. Arguments go to the training program:
#
#     sh examples/run.sh --epochs 5 --sparsity 0.98
#     sh examples/run.sh --backend cuda      # where there are nvcc and a GPU
#
# Where everything is there nothing is installed. `sh examples/run.sh --help` lists the options.

set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/cmake/packages.sh"

# Whether the arguments name a data folder; the data set package is not needed then.
data_package="[ -d /usr/share/datasets/fashion-mnist ]:dataset-fashion-mnist"
for argument; do
    case $argument in
        --data | --data=* | --help | -h) data_package="true:" ;;
    esac
done

install_missing "has_command g++:g++" "has_command cmake:cmake" "has_command make:make" \
    "has_header zlib.h:zlib1g-dev" "has_header CLI/CLI.hpp:libcli11-dev" "$data_package"

build=$root/build/examples
cuda=OFF
if has_command nvcc && has_command nvidia-smi && nvidia-smi -L >/dev/null 2>&1; then
    cuda=ON
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
