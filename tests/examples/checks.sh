# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What tests of the examples share; $binary is the program, $work a folder that goes with the test.

binary=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures checks failed"
        exit 1
    fi
    echo 'all checks passed'
    exit 0
}

# Prints the numbers given as bytes.
bytes() {
    for byte; do
        # shellcheck disable=SC2059  # the format is the byte
        printf "\\$(printf %03o "$byte")"
    done
}

# Prints a number below 65536 as four bytes, the highest first.
big_endian() { bytes 0 0 $(($1 / 256)) $(($1 % 256)); }

# images FILE COUNT SIDE: square images of a repeating pattern.
images() {
    {
        bytes 0 0 8 3
        big_endian "$2"
        big_endian "$3"
        big_endian "$3"
        yes 'snack on sparse nets' | head -c $(($2 * $3 * $3))
    } >"$1"
}

# labels FILE COUNT: 0, 1, ... 9, 0, 1, ...; COUNT is a multiple of ten.
labels() {
    {
        bytes 0 0 8 1
        big_endian "$2"
        left=$2
        while [ "$left" -gt 0 ]; do
            bytes 0 1 2 3 4 5 6 7 8 9
            left=$((left - 10))
        done
    } >"$1"
}

# Runs the program; leaves $status, $work/out and $work/err.
run() {
    status=0
    "$binary" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# refuses NAME TEXT ARGUMENTS...: ends with 2, one line that holds TEXT, and no other output.
refuses() {
    name=$1
    text=$2
    shift 2
    run "$@"
    [ "$status" -eq 2 ] || fail "$name: status $status, wanted 2"
    [ ! -s "$work/out" ] || fail "$name: something on standard output"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$name: not one line of error: $(cat "$work/err")"
    grep -q "^${binary##*/}: .*$text" "$work/err" || fail "$name: no '$text' in: $(cat "$work/err")"
}
