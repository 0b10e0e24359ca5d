#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the GPU suite as it is and under each tool of compute-sanitizer, several processes at a time, and ends
# with a line for each: how many cases ran, and what was found. Under the tools the conformance suite takes the
# small matrices that it has for the host launcher, and cases tagged [large] are left out.
#
#     sh tests/cuda/sanitize.sh build/cuda/tests/cuda/snack_tests_cuda LOGS [PROCESSES [TOOL...]]
#
# Logs go to the folder LOGS, a file for each tool. Tools: plain memcheck initcheck synccheck racecheck.
# With several GPUs the processes under a tool take turns among them.

set -eu
program=$1
logs=$2
processes=${3:-8}
[ $# -le 3 ] && set -- "" "" "" plain memcheck initcheck synccheck racecheck
shift 3

mkdir -p "$logs"
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
[ -z "${CUDA_VISIBLE_DEVICES:-}" ] || gpus=1 # somebody else has chosen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for tool in "$@"; do
    filter=
    command=$program
    if [ "$tool" != plain ]; then
        filter='~[large]'
        # Some tests make calls of CUDA fail on purpose; what such a call returned is theirs to judge.
        options=
        case $tool in
            memcheck) options="--padding 32 --report-api-errors no" ;;
            # Kernels without shared memory have nothing that racecheck looks at, and are most of all launches.
            racecheck) options="--kernel-name-exclude kns=ForEachIndex --kernel-name-exclude kns=FindFirst" ;;
        esac
        command="compute-sanitizer --tool $tool $options --error-exitcode 9 $program"
    fi
    # Catch2 2.13 has the number of names as its status. Catch2 3 refuses this option, and has another.
    "$program" --list-test-names-only $filter >"$work/names" 2>/dev/null || [ -s "$work/names" ] ||
        "$program" --list-tests --verbosity quiet $filter >"$work/names" || true
    if ! [ -s "$work/names" ]; then
        echo "$tool: $program lists no cases" >&2
        failed=1
        continue
    fi
    rm -f "$work"/part.* "$work"/log.*
    # Dealt out in turns: cases that take long stand side by side.
    awk -v n="$processes" -v to="$work/part." 'NF { gsub(/,/, "\\,"); print "\"" $0 "\"" > (to NR % n) }' "$work/names"
    start=$(date +%s)
    for part in "$work"/part.*; do
        (
            status=0
            number=${part##*.}
            if [ "$tool" != plain ]; then
                export SNACK_TEST_EFFORT=small
                # Two each, for the cases that need two.
                [ "$gpus" -lt 2 ] || export CUDA_VISIBLE_DEVICES="$((number % gpus)),$(((number + 1) % gpus))"
            fi
            $command --input-file "$part" >"$work/log.$number" 2>&1 || status=$?
            echo "exit status $status" >>"$work/log.$number"
        ) &
    done
    wait
    cat "$work"/log.* >"$logs/$tool.log"
    bad=$(grep -c '^exit status [^0]' "$logs/$tool.log" || true)
    errors=$(sed -n 's/^========= .*SUMMARY: \([0-9]*\) \(error\|hazard\).*/\1/p' "$logs/$tool.log" | awk '{ n += $1 } END { print n + 0 }')
    cases=$(sed -n 's/.*(\([0-9]*\) assertions\? in \([0-9]*\) test cases\?).*/\2/p; s/^test cases: *\([0-9]*\) .*/\1/p' \
        "$logs/$tool.log" | awk '{ n += $1 } END { print n + 0 }')
    echo "$tool: $cases cases, $bad of $(ls "$work"/part.* | wc -l) processes failed, $errors errors found, $(($(date +%s) - start)) s"
    [ "$bad" -eq 0 ] && [ "$errors" -eq 0 ] || failed=1
done
exit $failed
