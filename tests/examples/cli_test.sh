#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The command line of the training example, on made-up data sets of a few images: what trains,
# what is printed, and that every mistake ends in one line and status 2.
#
#     cli_test.sh PATH/TO/02_train [cuda]
#
# With `cuda`, for a program compiled by nvcc, it is what trains on a GPU.

set -eu

# shellcheck source=tests/examples/checks.sh
. "$(dirname "$0")/checks.sh"
shift

# data_set FOLDER: 40 training and 20 test images of 5 x 5 pixels.
data_set() {
    mkdir -p "$1"
    images "$1/train-images-idx3-ubyte" 40 5
    labels "$1/train-labels-idx1-ubyte" 40
    images "$1/t10k-images-idx3-ubyte" 20 5
    labels "$1/t10k-labels-idx1-ubyte" 20
}

# trains NAME ARGUMENTS...: ends with 0 and an accuracy.
trains() {
    name=$1
    shift
    run "$@"
    if [ "$status" -ne 0 ]; then
        fail "$name: status $status: $(cat "$work/err")"
    elif ! grep -q 'test accuracy' "$work/out"; then
        fail "$name: no test accuracy in the output"
    fi
}

# refuses_file NAME TEXT FILE: a data set that is whole but for FILE, taken from $work/bad.
refuses_file() {
    data_set "$work/broken"
    cp "$work/bad" "$work/broken/$3"
    refuses "$1" "$3: .*$2" --data "$work/broken" --epochs 1
    rm -r "$work/broken"
}

# resumes NAME ARGUMENTS...: stopping half-way and going on gives the accuracy and the bytes of going through.
resumes() {
    title=$1
    shift
    trains "$title, without a stop" --epochs 8 --save "$work/whole" "$@"
    grep 'test accuracy' "$work/out" >"$work/expected"
    trains "$title, first half" --epochs 8 --stop-after 4 --save "$work/half" "$@"
    trains "$title, second half" --data "$data" --backend "$backend" --load "$work/half" --save "$work/half"
    grep 'test accuracy' "$work/out" | cmp -s - "$work/expected" || fail "$title: another accuracy"
    cmp -s "$work/whole" "$work/half" || fail "$title: other bytes"
    trains "$title, nothing left" --data "$data" --backend "$backend" --load "$work/half"
    grep 'test accuracy' "$work/out" | cmp -s - "$work/expected" || fail "$title, loaded: another accuracy"
    grep -q 'nothing left to train: epoch' "$work/err" || fail "$title, loaded: no word that nothing is left"
}

data=$work/plain
backend=host
data_set "$data"
data_set "$work/zipped"
gzip "$work"/zipped/*

if [ "${1:-}" = cuda ]; then
    set -- --data "$data" --backend cuda --hidden 20,10
    trains 'on a GPU' "$@" --epochs 2 --batch 10
    grep 'test accuracy' "$work/out" >"$work/expected"
    trains 'on a GPU again' "$@" --epochs 2 --batch 10
    grep 'test accuracy' "$work/out" | cmp -s - "$work/expected" || fail 'on a GPU again: another accuracy'
    trains 'batches that do not divide the images' "$@" --epochs 2 --batch 13
    trains 'one image per batch, rewired' "$@" --epochs 20 --batch 1
    trains 'static, uniform, adam' "$@" --epochs 1 --static --density uniform --optimizer adam --batch 10
    trains 'dense' "$@" --epochs 1 --batch 10 --sparsity 0
    trains 'no connection left' "$@" --epochs 1 --batch 10 --sparsity 0.99999
    backend=cuda
    resumes 'saved on a GPU, sgd' "$@" --batch 1
    resumes 'saved on a GPU, adam' "$@" --batch 1 --optimizer adam
    run "$@" --batch 41
    [ "$status" -eq 2 ] || fail "batch larger than the set: status $status, wanted 2"
    finish
fi
set -- --epochs 1 --hidden 20,10 --batch 10

# What trains.

trains 'plain files, one thread' --data "$data" --threads 1 "$@"
grep 'test accuracy' "$work/out" >"$work/expected"
grep 'test accuracy' "$work/err" >/dev/null || fail 'progress: no line for the epoch'
if cat "$work/out" "$work/err" | tr '\r\033' '!!' | grep -q '!'; then
    fail 'progress: control bytes without a terminal'
fi
for threads in 2 3; do
    trains "$threads threads" --data "$data" --threads "$threads" "$@"
    grep 'test accuracy' "$work/out" | cmp -s - "$work/expected" || fail "$threads threads: another accuracy"
done
trains 'gzipped files' --data "$work/zipped" --threads 1 "$@"
grep 'test accuracy' "$work/out" | cmp -s - "$work/expected" || fail 'gzipped files: another accuracy'
trains 'batches that do not divide the images' --data "$data" --epochs 2 --hidden 7 --batch 13
trains 'one batch' --data "$data" --epochs 1 --hidden 7 --batch 40
trains 'one image per batch, rewired' --data "$data" --epochs 20 --hidden 30,20 --batch 1
trains 'static, uniform, adam' --data "$data" --static --density uniform --optimizer adam --lr 0.01 --seed 7 "$@"
trains 'dense' --data "$data" --sparsity 0 "$@"
trains 'no connection left' --data "$data" --sparsity 0.99999 "$@"
trains 'a learning rate that diverges' --data "$data" --lr 1000 --epochs 50 --hidden 20 --batch 1

# Training that stops and goes on, across rewires.

resumes 'saved, sgd' --data "$data" --hidden 30,20 --batch 1 --threads 2
resumes 'saved, adam' --data "$data" --hidden 20 --batch 1 --optimizer adam --lr 0.01 --seed 9
resumes 'saved, static and uniform' --data "$data" --hidden 20 --batch 13 --static --density uniform --sparsity 0.9
trains 'going on for longer' --data "$data" --load "$work/half" --epochs 9
grep -q 'epoch 9/9' "$work/err" || fail 'going on for longer: no epoch 9'

# Help.

run --help
[ "$status" -eq 0 ] || fail "--help: status $status"
[ ! -s "$work/err" ] || fail '--help: something on standard error'
for option in epochs sparsity density hidden batch lr optimizer seed backend threads static data stop-after save load help; do
    grep -q -- "--$option" "$work/out" || fail "--help: --$option is not listed"
done

# Options out of range or unreadable.

for value in 0 -1 1.5 ten '' 99999999999999999999; do
    refuses "--epochs=$value" epochs --data "$data" "--epochs=$value"
    refuses "--batch=$value" batch --data "$data" "--batch=$value"
    refuses "--threads=$value" threads --data "$data" "--threads=$value"
    refuses "--stop-after=$value" stop-after --data "$data" "--stop-after=$value"
done
for value in 1.5 -0.1 1 nan inf 0.9x ''; do
    refuses "--sparsity=$value" sparsity --data "$data" "--sparsity=$value"
done
for value in 0 -1 '300,' ',100' 300,,100 300,0 300x100 1e3 '' 99999999; do
    refuses "--hidden=$value" hidden --data "$data" "--hidden=$value"
done
for value in 0 -1 nan inf fast ''; do
    refuses "--lr=$value" lr --data "$data" "--lr=$value"
done
for value in -1 x '' 18446744073709551616; do
    refuses "--seed=$value" seed --data "$data" "--seed=$value"
done
refuses 'density' density --data "$data" --density thick
refuses 'optimizer' optimizer --data "$data" --optimizer lion
refuses 'backend' backend --data "$data" --backend tpu
refuses 'no CUDA in the program' 'backend cuda.*built without CUDA' --data "$data" --backend cuda
refuses 'unknown option' no-such-option --data "$data" --no-such-option
refuses 'stray word' stray --data "$data" stray
refuses 'option without value' epochs --data "$data" --epochs
refuses 'option given twice' epochs --data "$data" --epochs 1 --epochs 2
refuses 'batch larger than the set' 'batch.*40' --data "$data" --epochs 1 --batch 41

# What --load names is missing, damaged, or of another run; --save cannot be written.

for option in sparsity=0.5 density=erk hidden=20 batch=10 lr=0.1 optimizer=sgd seed=1 static; do
    refuses "--load with --$option" 'excludes' --data "$data" --load "$work/half" "--$option"
done
refuses 'nothing to load' 'no-such-file: cannot open' --data "$data" --load "$work/no-such-file"
refuses 'a folder to load' 'not a regular file' --data "$data" --load "$work"
refuses 'images to load' 'train-images.*the header has' --data "$data" --load "$data/train-images-idx3-ubyte"
size=$(wc -c <"$work/half")
head -c $((size - 1)) "$work/half" >"$work/bad"
refuses 'a saved file cut' 'bad: byte' --data "$data" --load "$work/bad"
{ bytes 2 0 0 0 0 0 0 0 && printf '{}'; } >"$work/bad"
refuses 'a file of another program' 'bad: not saved by 02_train.*no epoch' --data "$data" --load "$work/bad"
sed 's/02_train.batch":"13"/02_train.batch":"xx"/' "$work/half" >"$work/bad"
refuses 'a saved batch that is none' "bad: not saved by 02_train.*batch.*'xx'" --data "$data" --load "$work/bad"
sed 's/02_train.hidden":"20"/02_train.hidden":"21"/' "$work/half" >"$work/bad"
refuses 'saved widths that are others' 'layers.0 is 25 to 20 features, 25 to 21' --data "$data" --load "$work/bad"
data_set "$work/larger"
images "$work/larger/train-images-idx3-ubyte" 40 6
images "$work/larger/t10k-images-idx3-ubyte" 20 6
refuses 'images of another size' 'layers.0 is 25 to 20 features, 36 to 20' --data "$work/larger" --load "$work/half"
refuses 'no folder to save in' 'no/such/folder.*cannot write' --data "$data" --epochs 1 --save "$work/no/such/folder"

# Files that are missing or damaged.

refuses 'missing folder' 'no-such-folder' --data "$work/no-such-folder"
refuses 'folder named with a line break' 'not found' --data "$work/no
folder"
for file in train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte; do
    data_set "$work/broken"
    rm "$work/broken/$file"
    refuses "missing $file" "$file" --data "$work/broken"
    mkdir "$work/broken/$file"
    refuses "folder in place of $file" "$file" --data "$work/broken"
    rm -r "$work/broken"

    : >"$work/bad"
    refuses_file "empty $file" 'header' "$file"
    head -c 7 "$data/$file" >"$work/bad"
    refuses_file "header of $file cut" 'header' "$file"
    size=$(wc -c <"$data/$file")
    head -c $((size - 1)) "$data/$file" >"$work/bad"
    refuses_file "$file cut" 'truncated\|promises' "$file"
    { cat "$data/$file" && bytes 0; } >"$work/bad"
    refuses_file "$file too long" 'goes on' "$file"
    { bytes 0 0 8 2 && tail -c +5 "$data/$file"; } >"$work/bad"
    refuses_file "magic number of $file" '0x00000802' "$file"
    gzip -c "$data/$file" | head -c 30 >"$work/bad"
    refuses_file "gzipped $file cut" 'header\|truncated\|damaged' "$file"
    { gzip -c "$data/$file" | head -c 12 && yes | head -c 80; } >"$work/bad"
    refuses_file "gzipped $file damaged" 'header\|truncated\|damaged\|promises\|magic' "$file"
done
{ bytes 0 0 8 3 255 255 255 255 255 255 255 255 255 255 255 255 && yes | head -c 100; } >"$work/bad"
refuses_file 'extents that overflow' promises train-images-idx3-ubyte
gzip -c "$work/bad" >"$work/worse" && mv "$work/worse" "$work/bad"
refuses_file 'extents that overflow, gzipped' promises train-images-idx3-ubyte
images "$work/bad" 0 5
refuses_file 'no images' 'no pixels' train-images-idx3-ubyte
images "$work/bad" 40 0
refuses_file 'images without pixels' 'no pixels' train-images-idx3-ubyte
labels "$work/bad" 30
refuses_file 'fewer labels than images' '30 labels for 40 images' train-labels-idx1-ubyte
{ head -c 47 "$data/train-labels-idx1-ubyte" && bytes 10; } >"$work/bad"
refuses_file 'label out of range' 'label 10 at position 39' train-labels-idx1-ubyte
data_set "$work/broken"
images "$work/broken/t10k-images-idx3-ubyte" 20 6
refuses 'test images of another size' '36 pixels' --data "$work/broken"

finish
