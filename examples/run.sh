#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a bare Debian 12 or Ubuntu 24.04 to a trained network: installs what is missing, builds the
# examples, and trains. Arguments go to the training program:
#
#     sh examples/run.sh --epochs 5 --sparsity 0.98
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
configure() {
    cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSNACK_BUILD_TESTS=OFF -DSNACK_BUILD_EXAMPLES=ON "$@"
}
# A build folder cannot be used again after the checkout has moved; the second try starts afresh.
echo "Building the examples" >&2
quietly configure 2>/dev/null || quietly configure --fresh
quietly cmake --build "$build" --parallel "$(nproc)"
exec "$build/examples/02_train" "$@"
