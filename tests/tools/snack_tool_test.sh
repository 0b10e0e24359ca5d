#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# snack_tool from end to end: what it converts comes back, what it prunes has the right connections, what it says of
# a file is true, and every mistake ends with the status that its help promises and one line.
#
#     snack_tool_test.sh PATH/TO/snack_tool

set -eu

binary=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Runs the tool; leaves $status, out and err.
run() {
    status=0
    "$binary" "$@" >out 2>err </dev/null || status=$?
}

# works ARGUMENTS...: ends with 0 and says nothing of errors.
works() {
    run "$@"
    [ "$status" -eq 0 ] || fail "$*: status $status: $(cat err)"
    [ ! -s err ] || fail "$*: something on standard error: $(cat err)"
}

# says TEXT: the output of the last call holds it.
says() { grep -q -- "$1" out || fail "no '$1' in: $(cat out)"; }

# refuses STATUS TEXT ARGUMENTS...: ends so, with one line that holds TEXT, and leaves no file `none`.
refuses() {
    wanted=$1
    text=$2
    shift 2
    run "$@"
    [ "$status" -eq "$wanted" ] || fail "$*: status $status, wanted $wanted: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line of error: $(cat err)"
    grep -q -- "^snack_tool: .*$text" err || fail "$*: no '$text' in: $(cat err)"
    for left in none*; do
        [ ! -e "$left" ] || fail "$*: left $left behind"
    done
}

# same FILE FILE
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ: $(cat "$2")"; }

cat >sparse.mtx <<END
%%MatrixMarket matrix coordinate real general
3 4 5
1 1 0.1
1 3 -2
2 4 1e-300
3 1 7
3 2 0
END
printf '3, 4, 5\n0 2 3 5\n0 2 3 0 1\n' >sparse.smtx
cat >dense.mtx <<END
%%MatrixMarket matrix array real general
2 5
5
-1
0
2
-3
2
4
0.5
1
6
END
# The rows are 5 0 -3 4 1 and -1 2 2 0.5 6.

# There and back.

works convert sparse.mtx layer.safetensors
works convert layer.safetensors back.mtx
same sparse.mtx back.mtx
works convert layer.safetensors layer.smtx
same sparse.smtx layer.smtx
works convert sparse.mtx again.safetensors
same layer.safetensors again.safetensors
works convert sparse.smtx ones.mtx
grep -q '^1 3 1$' ones.mtx || fail 'a topology has no ones'
works convert ones.mtx ones.smtx
same sparse.smtx ones.smtx
works convert sparse.mtx full.npy
works convert full.npy nonzero.smtx
printf '3, 4, 4\n0 2 3 4\n0 2 3 0\n' >expected
same expected nonzero.smtx
works convert dense.mtx dense.npy
works convert dense.npy dense_back.mtx
same dense.mtx dense_back.mtx
works convert dense.mtx dense.safetensors --name fc.weight
works convert dense.safetensors dense_back.mtx --tensors 'fc[.]'
same dense.mtx dense_back.mtx
works convert sparse.mtx float.safetensors --dtype F32
works convert float.safetensors float.mtx
grep -q '^2 4 0$' float.mtx || fail '1e-300 is not 0 in F32'
grep -q '^1 1 0.1$' float.mtx || fail 'a float has not the fewest digits'

# Pruning.

# pruned CONNECTIONS ARGUMENTS...: what is kept of dense.npy, as entries row:column=value.
pruned() {
    expected=$1
    shift
    works prune dense.npy pruned.mtx "$@"
    got=$(sed 1,2d pruned.mtx | awk '{ printf "%s%s:%s=%s", sep, $1, $2, $3; sep = " " }')
    [ "$got" = "$expected" ] || fail "prune $*: got $got, wanted $expected"
}
pruned '1:1=5 1:3=-3 1:4=4 2:5=6' --sparsity 0.6
pruned '1:1=5 1:3=-3 1:4=4 2:2=2 2:5=6' --sparsity 0.5
pruned '1:1=5 1:4=4 2:2=2 2:5=6' --sparsity 0.6 --per-row
pruned '1:1=5 1:3=-3 1:4=4 2:5=6' --threshold 2
pruned '1:1=5 1:4=4 1:5=1 2:2=2 2:3=2 2:5=6' --nm 1:2
pruned '' --sparsity 1
works prune dense.mtx from_array.mtx --sparsity 0.6
works prune dense.npy from_npy.mtx --sparsity 0.6
same from_npy.mtx from_array.mtx
works prune dense.safetensors fc.safetensors --sparsity 0.6
says '^fc  *2 x 5  *4  *10  *60.0 %'
works convert fc.safetensors fc.mtx
same from_npy.mtx fc.mtx
works prune dense.safetensors fc.smtx --sparsity 0.6
works prune dense.safetensors all.safetensors --global --sparsity 0.6
same fc.safetensors all.safetensors
refuses 1 'matches --tensors' prune dense.safetensors none.safetensors --sparsity 0.5 --tensors other

# A file of several tensors: two weights, a bias, three bytes whose name has a line break, and metadata.

# Prints the numbers given as bytes.
bytes() {
    for byte; do
        # shellcheck disable=SC2059  # the format is the byte
        printf "\\$(printf %03o "$byte")"
    done
}
header='{"__metadata__":{"made":"by hand"},"a.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},'
header=$header'"a.bias":{"dtype":"F32","shape":[2],"data_offsets":[16,24]},'
header=$header'"b.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[24,32]},'
header=$header'"no\nte":{"dtype":"U8","shape":[3],"data_offsets":[32,35]}}'
{
    bytes $((${#header} % 256)) $((${#header} / 256)) 0 0 0 0 0 0
    printf %s "$header"
    bytes 0 0 128 63 0 0 0 64 0 0 64 64 0 0 128 64 # a.weight: 1 2, 3 4
    bytes 0 0 128 63 0 0 0 64                      # a.bias: 1 2
    bytes 0 0 0 65 0 0 160 64                      # b.weight: 8 5
    printf abc
} >several.safetensors

works prune several.safetensors layers.safetensors --sparsity 0.5
says '^a  *2 x 2  *2  *4  *50.0 %'
says '^b  *1 x 2  *1  *2  *50.0 %'
works inspect layers.safetensors
says '^a  *2 x 2  *2 of 4, 50.0 % zero  *yes'
says '^b  *1 x 2  *1 of 2, 50.0 % zero  *no'
says '^no?te  *U8  *3  *-$'
says '^metadata  made: by hand$'
[ "$(tail -c 3 layers.safetensors)" = abc ] || fail 'another tensor did not stay as it was'
works convert layers.safetensors a.mtx --tensors '^a$'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 3\n2 2 4\n' >expected
same expected a.mtx
works prune several.safetensors together.safetensors --sparsity 0.5 --global
says '^a  *2 x 2  *1  *4'
says '^b  *1 x 2  *2  *2'
works prune several.safetensors one.safetensors --threshold 6 --tensors '^b'
works inspect one.safetensors
says '^a.weight  *F32  *2 x 2  *4 of 4'
says '^a.bias  *F32  *2'
says '^b  *1 x 2  *1 of 2'
works prune several.safetensors wide.safetensors --sparsity 0.5 --dtype F64
works inspect wide.safetensors
says '^a.weight.values  *F64  *2'
says '^a.bias  *F64  *2'
refuses 1 "2 matrices match, 'a.weight', 'b.weight'; one is wanted" convert several.safetensors none.mtx
refuses 1 "one is wanted of the matrices 'a.weight', 'b.weight'" convert several.safetensors none.mtx --tensors typo
refuses 1 "one is wanted of the layers 'a', 'b'" convert layers.safetensors none.mtx --tensors typo
refuses 1 "nothing dense to prune.*'a', 'b'" prune layers.safetensors none.safetensors --sparsity 0.5
refuses 1 "matches --tensors; there are 'a.weight', 'b.weight'" prune several.safetensors none.safetensors --nm 1:2 \
    --tensors typo
refuses 1 'takes one matrix' prune several.safetensors none.mtx --sparsity 0.5

# Names of files in capitals, and names of weights that would not be seen.

cp dense.mtx CAPITALS.MTX
works convert CAPITALS.MTX capitals.NPY
same dense.npy capitals.NPY
printf '%s' '{"weight.values":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"weight.columns":{"dtype":"I32","shape":[0],'\
'"data_offsets":[0,0]},"weight.rows":{"dtype":"I32","shape":[0],"data_offsets":[0,0]},"weight.shape":{"dtype":"U8",'\
'"shape":[2],"data_offsets":[0,2]}}' >header
{ bytes $(($(wc -c <header) % 256)) $(($(wc -c <header) / 256)) 0 0 0 0 0 0 && cat header && bytes 2 3; } >nameless.safetensors
works inspect nameless.safetensors
says "^''  *2 x 3  *0 of 6"
works convert nameless.safetensors nameless.mtx
says "^'': 2 x 3"

# Types that are not decoded: shown, and kept as they are.

printf '%s' '{"a.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},'\
'"b.weight":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[8,12]}}' >header
{ bytes $(wc -c <header) 0 0 0 0 0 0 0 && cat header && bytes 0 0 128 63 0 0 0 64 && printf abcd; } >eight.safetensors
works inspect eight.safetensors
says '^b.weight  *F8_E4M3  *2 x 2  *-$'
works prune eight.safetensors eight_pruned.safetensors --sparsity 0.5
works inspect eight_pruned.safetensors
says '^b.weight  *F8_E4M3  *2 x 2  *-$'
grep -q abcd eight_pruned.safetensors || fail 'bytes of a type that is not decoded did not stay as they were'
refuses 1 'dtype F8_E4M3, which is not read' convert eight.safetensors none.npy --tensors b

# What is in a file.

works inspect layer.safetensors
says '^layer  '
says 'sparse  *3 x 4  *5 of 12, 58.3 % zero  *no  *0  *-'
says 'sparse.weight.columns  *I32  *5'
works inspect sparse.mtx
says 'coordinate real general, 3 x 4, 5 lines'
says 'connections: 5 of 12'
works inspect dense.mtx
says 'not zero: 9 of 10, 10.0 % zero'
works inspect sparse.smtx
says 'connections: 5 of 12'
works inspect dense.npy
says 'NumPy array, F64, 2 x 5, C order'
says 'not zero: 9 of 10'
works inspect dense.safetensors
says 'fc.weight  *F64  *2 x 5  *9 of 10'

# Help.

for command in '' inspect convert prune; do
    # shellcheck disable=SC2086  # no argument where there is no command
    works $command --help
    says help
done
works --help
says 'Ends with 0, with 1'
works prune --help
for option in sparsity per-row global threshold nm tensors dtype name; do
    says "--$option"
done

# Mistakes of the command line.

refuses 2 'no subcommand: wanted is one of inspect, convert, prune'
refuses 2 "'nonsense': wanted is one of inspect" nonsense
refuses 2 subcommand --nonsense
refuses 2 IN inspect
refuses 2 OUT convert sparse.mtx
refuses 2 'told by its end' inspect sparse.bin
refuses 2 'told by its end' inspect .npy
refuses 2 'told by its end' convert sparse.mtx none.txt
cp dense.npy kept.npy
refuses 2 'one file' prune dense.npy dense.npy --sparsity 0.5
refuses 2 'one file' convert sparse.mtx ./sparse.mtx
same kept.npy dense.npy
refuses 2 'has no names' prune dense.npy none.mtx --sparsity 0.5 --tensors fc1
refuses 2 'keeps them' convert layer.safetensors none.mtx --name other
refuses 2 'one of --sparsity' prune dense.npy none.mtx
refuses 2 'one of --sparsity' prune dense.npy none.mtx --sparsity 0.5 --threshold 1
refuses 2 'goes with --sparsity' prune dense.npy none.mtx --threshold 1 --global
refuses 2 'goes with --sparsity' prune dense.npy none.mtx --sparsity 0.5 --global --per-row
for value in 1.5 -1 nan x ''; do
    refuses 2 sparsity prune dense.npy none.mtx "--sparsity=$value"
    refuses 2 threshold prune dense.npy none.mtx "--threshold=-$value"
done
for value in 2 3:2 -1:4 1:0 a:b 1:2: ''; do
    refuses 2 nm prune dense.npy none.mtx "--nm=$value"
done
refuses 2 'not a regular expression' convert layer.safetensors none.mtx --tensors '('
refuses 2 dtype convert layer.safetensors none.mtx --dtype F16

# Faults of files.

refuses 1 'missing.npy: cannot open' inspect missing.npy
refuses 1 'missing.mtx: cannot open' convert missing.mtx none.npy
refuses 1 'no-folder' convert sparse.mtx no-folder/none.npy
mkdir folder.npy
refuses 1 'not a regular file' inspect folder.npy
refuses 1 'not a regular file' convert sparse.mtx folder.npy
mkfifo pipe.mtx
refuses 1 'not a regular file' convert sparse.smtx pipe.mtx
[ -p pipe.mtx ] || fail 'a pipe was replaced by a file'
head -c 40 dense.npy >cut.npy
refuses 1 cut.npy inspect cut.npy
refuses 1 cut.npy convert cut.npy none.mtx
refuses 1 cut.npy prune cut.npy none.mtx --sparsity 0.5
head -c 200 layer.safetensors >cut.safetensors
refuses 1 cut.safetensors inspect cut.safetensors
refuses 1 cut.safetensors prune cut.safetensors none.safetensors --sparsity 0.5
sed 's/^2 4/2 5/' sparse.mtx >outside.mtx
refuses 1 'outside.mtx: line 5' convert outside.mtx none.safetensors
printf '3, 4, 5\n0 2 1 5\n0 2 3 0 1\n' >falling.smtx
refuses 1 'falling.smtx: line 2' inspect falling.smtx
printf '1, 2147483647, 1\n0 1\n5\n' >wide.smtx
refuses 1 'would have 2147483647 cells' convert wide.smtx none.npy
refuses 1 'sparse already' prune sparse.mtx none.mtx --sparsity 0.5
refuses 1 'no values' prune sparse.smtx none.mtx --sparsity 0.5
refuses 1 'one is wanted' convert layer.safetensors none.mtx --tensors other
: >empty.safetensors
refuses 1 empty.safetensors inspect empty.safetensors

# A file that stood there keeps its contents when its successor cannot be made.

cp sparse.mtx kept.mtx
run convert cut.npy kept.mtx
same sparse.mtx kept.mtx

if [ "$failures" -gt 0 ]; then
    echo "$failures checks failed"
    exit 1
fi
echo 'all checks passed'
