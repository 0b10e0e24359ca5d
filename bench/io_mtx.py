#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the Matrix Market reader and writer beside fast_matrix_market, on the same files and threads.

    io_mtx.py PATH/TO/snack_bench_io_mtx [FOLDER [ENTRIES]]

Makes six files in FOLDER (5 million entries, 760 MB) unless they are there, and prints a table for bench/README.md:
milliseconds, the median of seven after one that warms the page cache. fast_matrix_market, which scipy.io.mmread is
too, gives a coo_matrix in the order of the file; the library a CooMatrix in canonical order, checked.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PEER = """
import sys, time
import fast_matrix_market as fmm
what, path, threads = sys.argv[1:]
fmm.PARALLELISM = int(threads)
matrix = fmm.mmread(path)
for _ in range(7):
    begin = time.perf_counter()
    if what == "read":
        fmm.mmread(path)
    else:
        fmm.mmwrite(path + ".copy.mtx", matrix)
    print(1e3 * (time.perf_counter() - begin))
"""


def median(command):
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return statistics.median(map(float, output.split()))


def main(program, folder, entries="5000000"):
    folder = Path(folder)
    if not list(folder.glob("*.mtx")):
        subprocess.run([program, "make", folder, entries], check=True)
    print("| what | order | digits | threads | snack | fast_matrix_market | times as fast |")
    print("|---|---|---|---|---|---|---|")
    for what in ("read", "write"):
        for order in ("by_row", "by_column", "shuffled") if what == "read" else ("by_row",):
            for digits in (7, 17):
                path = str(folder / f"{order}_{digits}.mtx")
                Path(path).read_bytes()
                for threads in sorted({1, os.cpu_count() or 1}):
                    ours = median([program, what, path, str(threads)])
                    theirs = median([sys.executable, "-c", PEER, what, path, str(threads)])
                    print(f"| {what} | {order.replace('_', ' ')} | {digits} | {threads} | {ours:.0f} | {theirs:.0f} | "
                          f"{theirs / ours:.2f} |", flush=True)


if len(sys.argv) > 2:
    main(*sys.argv[1:])
elif len(sys.argv) == 2:
    with tempfile.TemporaryDirectory() as temporary:
        main(sys.argv[1], temporary)
else:
    sys.exit(__doc__)
