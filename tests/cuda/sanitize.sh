#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the GPU suite as it is and under each tool of compute-sanitizer, several processes at a time, and ends
# with a line for each: how many cases ran, and what was found. Under the tools the conformance suite takes the
# small matrices that it has for the host launcher. Cases tagged [large] or [alone] want most of the memory, or
# look at all of it: they run last, one by one, and not under the tools.
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

# Runs the cases of the file $1.
cat >"$work/run_part" <<'END'
number=${1##*.}
status=0
# Two each, for the cases that need two.
[ "$gpus" -lt 2 ] || export CUDA_VISIBLE_DEVICES="$((number % gpus)),$(((number + 1) % gpus))"
$command --input-file "$1" >"$1.log" 2>&1 || status=$?
echo "exit status $status" >>"$1.log"
END

for tool in "$@"; do
    options=
    left_out='^$'
    case $tool in
        # Some tests make calls of CUDA fail on purpose; what such a call returned is theirs to judge.
        memcheck) options="--padding 32 --report-api-errors no" ;;
        # Kernels without shared memory have nothing that racecheck looks at, and are most of all launches;
        # those of other libraries are theirs. Of ClusterTile it says, wrongly, that an asynchronous copy that was
        # waited for races with what other blocks read after a barrier of the cluster: the same of a kernel with
        # __pipeline_memcpy_async, __pipeline_wait_prior and cooperative_groups, but not if it stores by itself.
        racecheck)
            for name in ForEachIndex FindFirst ClusterTile cub thrust cusparse cublas gemm gemv cutlass; do
                options="$options --kernel-name-exclude kns=$name"
            done
            ;;
    esac
    if [ "$tool" = plain ]; then
        command=$program
        unset SNACK_TEST_EFFORT
    else
        # Where several threads launch kernels the tools lose track of some, and say so. What threads share is on the
        # host; the kernels are those of the other cases.
        left_out='serves many threads\|many streams share'
        command="compute-sanitizer --tool $tool $options --error-exitcode 9 $program"
        export SNACK_TEST_EFFORT=small
    fi
    export command gpus
    # Catch2 2.13 has the number of names as its status. Catch2 3 refuses this option, and has another.
    together='~[large]~[alone]'
    "$program" --list-test-names-only "$together" >"$work/names" 2>/dev/null || [ -s "$work/names" ] ||
        "$program" --list-tests --verbosity quiet "$together" >"$work/names" || true
    if ! [ -s "$work/names" ]; then
        echo "$tool: $program lists no cases" >&2
        failed=1
        continue
    fi
    rm -f "$work"/part.*
    # Neighbours share their kernels, which a tool prepares once a process; four parts a process keep all busy.
    grep -v "$left_out" "$work/names" | awk -v parts="$((4 * processes))" -v to="$work/part." '
        NF { gsub(/,/, "\\,"); names[n++] = "\"" $0 "\"" }
        END { for (i = 0; i < n; ++i) print names[i] > (to int(i * parts / n)) }'
    start=$(date +%s)
    ls "$work"/part.* | xargs -P "$processes" -n 1 sh "$work/run_part"
    if [ "$tool" = plain ]; then
        status=0
        "$program" '[large],[alone]' >"$work/part.alone.log" 2>&1 || status=$?
        echo "exit status $status" >>"$work/part.alone.log"
    fi
    cat "$work"/part.*.log >"$logs/$tool.log"
    bad=$(grep '^exit status' "$logs/$tool.log" | grep -vc ' \(0\|77\)$' || true) # 77: all of them skipped
    errors=$(sed -n 's/^========= .*SUMMARY: \([0-9]*\) \(error\|hazard\).*/\1/p' "$logs/$tool.log" | awk '{ n += $1 } END { print n + 0 }')
    cases=$(sed -n 's/.*(\([0-9]*\) assertions\? in \([0-9]*\) test cases\?).*/\2/p; s/^test cases: *\([0-9]*\) .*/\1/p' \
        "$logs/$tool.log" | awk '{ n += $1 } END { print n + 0 }')
    echo "$tool: $cases cases, $bad of $(ls "$work"/part.*.log | wc -l) processes failed, $errors errors found, $(($(date +%s) - start)) s"
    [ "$bad" -eq 0 ] && [ "$errors" -eq 0 ] && [ "$cases" -gt 0 ] || failed=1
done
exit $failed
