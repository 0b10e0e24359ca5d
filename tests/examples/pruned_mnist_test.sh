#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The pruning example, on a made-up network and images of the same formats: every backend of the program runs and
# finds the same accuracies, and every mistake ends in one line and status 2.
#
#     pruned_mnist_test.sh PATH/TO/07_pruned_mnist [cuda]
#
# With `cuda`, for a program compiled by nvcc, its backends on a GPU run too.

set -eu

# shellcheck source=tests/examples/checks.sh
. "$(dirname "$0")/checks.sh"

# floats COUNT: numbers of both signs between 0.0075 and 0.5, the last byte of each a sign and an exponent.
floats() {
    left=$1
    while [ "$left" -gt 0 ]; do
        printf 'a1b=qZk\275w7>>Vd3\276 n0<yRt\274'
        left=$((left - 6))
    done | head -c $(($1 * 4))
}

# network FILE PIXELS: PIXELS inputs, 8 hidden, 10 outputs.
network() {
    pixels=$2
    w1=$((8 * pixels * 4))
    b1=$((w1 + 32))
    w2=$((b1 + 320))
    b2=$((w2 + 40))
    header=$(printf '{"fc1.weight":{"dtype":"F32","shape":[8,%d],"data_offsets":[0,%d]},' "$pixels" "$w1"
        printf '"fc1.bias":{"dtype":"F32","shape":[8],"data_offsets":[%d,%d]},' "$w1" "$b1"
        printf '"fc2.weight":{"dtype":"F32","shape":[10,8],"data_offsets":[%d,%d]},' "$b1" "$w2"
        printf '"fc2.bias":{"dtype":"F32","shape":[10],"data_offsets":[%d,%d]}}' "$w2" "$b2")
    {
        bytes $((${#header} % 256)) $((${#header} / 256)) 0 0 0 0 0 0
        printf %s "$header"
        floats $((b2 / 4))
    } >"$1"
}

# data_set FOLDER: 20 images of 5 x 5 pixels with the labels 0, 1, ... 9, 0, ... and a network for them.
data_set() {
    mkdir -p "$1"
    images "$1/t10k-images-idx3-ubyte" 20 5
    labels "$1/t10k-labels-idx1-ubyte" 20
    network "$1/mnist_fc_784x500x10.safetensors" 25
}

data=$work/plain
data_set "$data"

# What runs. Sparsity, connections and accuracies are the first four columns of the lines that begin with a share.

run --data "$data" --backend all --epochs 2
[ "$status" -eq 0 ] || fail "all backends: status $status: $(cat "$work/err")"
backends=4
if [ "${2:-}" = cuda ]; then
    backends=10
fi
[ "$(grep -c 'on all 20 test images' "$work/out")" -eq "$backends" ] || fail "not $backends backends: $(cat "$work/out")"
for sparsity in 0 80 90 95 98 99; do
    lines=$(sed -n "/^$sparsity %  *[0-9]* *[0-9.]* %  *[0-9.]* %  *[0-9.]* k*B/p" "$work/out")
    [ "$(echo "$lines" | wc -l)" -eq "$backends" ] || fail "$sparsity %: not a line for each backend: $lines"
    [ "$(echo "$lines" | awk '{ print $3, $4, $6 }' | sort -u | wc -l)" -eq 1 ] ||
        fail "$sparsity %: backends disagree: $lines"
done
for pair in '0 200' '80 40' '90 20' '95 10' '98 4' '99 2'; do
    grep -q "^${pair% *} %  *${pair#* } " "$work/out" || fail "not ${pair#* } connections at ${pair% *} %"
done
grep -q 'first 10 images, accuracy on the other 10' "$work/out" || fail 'the images are not held apart'
! grep -q published "$work/out" || fail 'numbers are published for made-up images'

run --data "$data" --epochs 0
[ "$status" -eq 0 ] || fail "one backend: status $status: $(cat "$work/err")"
grep -q '^Host, ' "$work/out" || fail 'the default is not Host'
! grep -q 'fine-tuned' "$work/out" || fail 'fine-tuned in no epochs'

mkdir -p "$work/parts/mnist" "$work/parts/mnist-fc"
cp "$data"/t10k-* "$work/parts/mnist"
gzip "$work"/parts/mnist/*
cp "$data"/*.safetensors "$work/parts/mnist-fc"
run --data "$work/parts" --backend reference --epochs 0
[ "$status" -eq 0 ] || fail "folders, gzipped: status $status: $(cat "$work/err")"
grep -q '^Reference, ' "$work/out" || fail 'not the backend that was asked for'

run --help
[ "$status" -eq 0 ] || fail "--help: status $status"
grep -q 'ggml-org/ggml' "$work/out" || fail '--help: not a word about where the data comes from'
for option in data backend epochs threads help; do
    grep -q -- "--$option" "$work/out" || fail "--help: --$option is not listed"
done

# What does not.

refuses 'no data' data
refuses 'missing folder' 'no-such-folder: not found' --data "$work/no-such-folder"
refuses 'unknown backend' backend --data "$data" --backend tpu
refuses 'epochs' epochs --data "$data" --epochs -1
refuses 'threads' threads --data "$data" --threads 0
refuses 'unknown option' no-such-option --data "$data" --no-such-option
for file in mnist_fc_784x500x10.safetensors t10k-images-idx3-ubyte t10k-labels-idx1-ubyte; do
    data_set "$work/broken"
    rm "$work/broken/$file"
    refuses "missing $file" "$file" --data "$work/broken"
    head -c 100 "$data/$file" | tr '\0' '\1' >"$work/broken/$file"
    refuses "damaged $file" "$file" --data "$work/broken"
    rm -r "$work/broken"
done
data_set "$work/broken"
network "$work/broken/mnist_fc_784x500x10.safetensors" 24
refuses 'a network for other images' '25 pixels' --data "$work/broken"

finish
